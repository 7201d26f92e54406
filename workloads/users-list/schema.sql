-- 2,000 users, the same bytes on every machine: no clock, no randomness, and an order that does not
-- depend on the server's locale.
CREATE TABLE "user" (
    user_id  TEXT COLLATE "C" PRIMARY KEY NOT NULL,
    username TEXT NOT NULL UNIQUE,
    email    TEXT NOT NULL UNIQUE
);

INSERT INTO "user" (user_id, username, email)
SELECT
    md5('bancada-user-' || i)::uuid::text,
    'user' || i,
    'user' || i || '@example.com'
FROM generate_series(1, 2000) AS i;

ANALYZE "user";
