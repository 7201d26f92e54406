// `GET /db`: the first twenty movies by id.

import { movie } from './movie.js';

const SELECT = `
  SELECT id, name, release_date, director, description, duration, budget, created_at, updated_at
  FROM movies ORDER BY id LIMIT 20`;

const schema = { response: { 200: { type: 'array', items: movie } } };

export async function moviesList(app, { pool }) {
  app.get('/db', { schema }, async () => {
    const { rows } = await pool.query({ name: 'movies-list', text: SELECT });
    return rows.map((row) => ({
      ...row,
      release_date: rfc3339(row.release_date),
      created_at: rfc3339(row.created_at),
      updated_at: rfc3339(row.updated_at),
    }));
  });
}

// Whole seconds, as the contract has them: JavaScript would write `.000` as well.
function rfc3339(date) {
  return date.toISOString().replace('.000Z', 'Z');
}
