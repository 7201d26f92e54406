// `GET /users/:user_id`: one user by primary key.

import { user } from './users_list.js';

const PATH = '/users/:user_id';

const SELECT = 'SELECT user_id, username, email FROM "user" WHERE user_id = $1';

const schema = {
  params: {
    type: 'object',
    properties: {
      // A UUID as the column spells it.
      user_id: { type: 'string', pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' },
    },
  },
  response: { 200: user },
};

export async function usersOne(app, { pool }) {
  app.get(PATH, { schema }, async (request, reply) => {
    const values = [request.params.user_id];
    const { rows } = await pool.query({ name: 'users-one', text: SELECT, values });
    return rows[0] ?? reply.code(404).send({ error: 'no such user' });
  });

  // Fastify's parameters may be empty.
  app.get('/users/', (_request, reply) => reply.code(404).send({ error: 'Not Found' }));

  app.route({
    url: PATH,
    method: ['DELETE', 'PATCH', 'POST', 'PUT'],
    onRequest: (_request, reply) => reply.code(405).send({ error: 'Method Not Allowed' }),
    handler: () => {},
  });
}
