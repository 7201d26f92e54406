// `GET /users`: the first hundred users by id.

const SELECT = 'SELECT user_id, username, email FROM "user" ORDER BY user_id LIMIT 100';

export const user = {
  type: 'object',
  properties: {
    user_id: { type: 'string' },
    username: { type: 'string' },
    email: { type: 'string' },
  },
};
const schema = { response: { 200: { type: 'array', items: user } } };

export async function usersList(app, { pool }) {
  app.get('/users', { schema }, async () => {
    const { rows } = await pool.query({ name: 'users-list', text: SELECT });
    return rows;
  });
}
