// `GET /db`: twenty movies in no stated order.

const SELECT = 'SELECT * FROM movies LIMIT 20';

export async function moviesList(app, { pool }) {
  app.get('/db', async () => {
    const { rows } = await pool.query(SELECT);
    return rows;
  });
}
