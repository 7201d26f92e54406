-- The order of ids is the order of their bytes, whatever the locale of the server.
CREATE TABLE "user" (
    user_id text COLLATE "C" PRIMARY KEY NOT NULL,
    username text UNIQUE NOT NULL,
    email text UNIQUE NOT NULL
);
