// `POST /user`: a user parsed, checked against its schema and answered.

const user = {
  type: 'object',
  required: ['id', 'name', 'email'],
  properties: {
    // A JavaScript number holds no larger integer exactly: it is refused rather than rounded.
    id: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER },
    name: { type: 'string' },
    email: { type: 'string' },
  },
};

export async function jsonEcho(app) {
  app.post('/user', { schema: { body: user, response: { 200: user } } }, async (request) => {
    return request.body;
  });
}
