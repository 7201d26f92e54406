// `GET /hello`: a constant line of text.

export async function hello(app) {
  app.get('/hello', async () => 'Hello, World');
}
