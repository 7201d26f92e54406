// `GET /select-one`: the value of a query that reads no table.

const schema = {
  response: { 200: { type: 'object', properties: { value: { type: 'integer' } } } },
};

export async function selectOne(app, { pool }) {
  app.get('/select-one', { schema }, async () => {
    const { rows } = await pool.query({ name: 'select-one', text: 'SELECT 1 AS value' });
    return rows[0];
  });
}
