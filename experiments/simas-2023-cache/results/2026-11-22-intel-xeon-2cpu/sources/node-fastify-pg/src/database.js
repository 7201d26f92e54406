// The connection pool, opened and checked at start.

import pg from 'pg';

const FIND_TABLES = `
  SELECT coalesce(to_regclass('"user"'), to_regclass('movies'), to_regclass('logradouro'))
    IS NOT NULL AS found`;

export async function connect({ databaseUrl, poolSize, poolIdle, workers }) {
  const idle = Math.floor(poolIdle / workers);
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: Math.floor(poolSize / workers),
    min: idle,
  });
  // An idle connection that breaks is replaced on its next use; without a listener it ends the process.
  pool.on('error', (error) => console.error(error.message));

  const { rows } = await pool.query(FIND_TABLES);
  if (!rows[0].found) {
    throw new Error('the database of DATABASE_URL has no table that this service reads');
  }

  // The pool opens connections on demand only: hold `idle` of them at once.
  const clients = await Promise.all(Array.from({ length: idle }, () => pool.connect()));
  for (const client of clients) client.release();
  return pool;
}
