-- The same 1,000 rows every time. Timestamps are whole seconds: languages print fractions differently.
INSERT INTO movies
SELECT
    md5('movie ' || i)::uuid,
    'Movie ' || i,
    timestamptz '1950-01-01 00:00:00+00' + i * interval '27 days',
    'Director ' || i % 97,
    'The story of movie ' || i || ', told by director ' || i % 97,
    60 + i % 120,
    1000000::bigint * (1 + i % 300) * (1 + i % 20),
    timestamptz '2023-08-24 12:00:00+00' + i * interval '1 minute',
    timestamptz '2023-09-14 18:30:00+00' + i * interval '1 hour'
FROM generate_series(1, 1000) AS i
ORDER BY i;

ANALYZE movies;
