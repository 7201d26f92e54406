-- The same 2,000 rows every time: ids come from numbers, not from chance.
INSERT INTO "user" (user_id, username, email)
SELECT
    md5('bancada-user-' || i)::uuid::text,
    'user' || i,
    'user' || i || '@example.com'
FROM generate_series(1, 2000) AS i
ORDER BY i;

ANALYZE "user";
