CREATE TABLE movies (
    id uuid PRIMARY KEY,
    name text NOT NULL,
    release_date timestamptz NOT NULL,
    director text NOT NULL,
    description text NOT NULL,
    duration bigint NOT NULL,
    budget bigint NOT NULL,
    created_at timestamptz NOT NULL,
    updated_at timestamptz NOT NULL
);
