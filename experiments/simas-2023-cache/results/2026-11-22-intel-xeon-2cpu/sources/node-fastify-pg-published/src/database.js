// The connection pool, checked at start. Connections are opened on demand.

import pg from 'pg';

const FIND_TABLE = "SELECT to_regclass('movies') IS NOT NULL AS found";

export async function connect({ databaseUrl, poolSize, poolIdle, workers }) {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: Math.floor(poolSize / workers),
    min: Math.floor(poolIdle / workers),
  });
  // An idle connection that breaks is replaced on its next use; without a listener it ends the process.
  pool.on('error', (error) => console.error(error.message));

  const { rows } = await pool.query(FIND_TABLE);
  if (!rows[0].found) throw new Error('the database of DATABASE_URL has no table movies');
  return pool;
}
