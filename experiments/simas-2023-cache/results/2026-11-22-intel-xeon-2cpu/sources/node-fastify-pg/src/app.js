// The application: its routes.

import Fastify from 'fastify';

import { cepLookup } from './cep_lookup.js';
import { fibonacci } from './fibonacci.js';
import { hello } from './hello.js';
import { jsonEcho } from './json_echo.js';
import { jsonLarge } from './json_large.js';
import { moviesList } from './movies_list.js';
import { selectOne } from './select_one.js';
import { usersList } from './users_list.js';
import { usersOne } from './users_one.js';
import { wait } from './wait.js';

export function build(pool, settings) {
  const app = Fastify({
    logger: settings.logRequests,
    keepAliveTimeout: settings.keepAliveSeconds * 1000,
    // A long parameter is a wrong one, and not another path.
    routerOptions: { maxParamLength: 8192 },
    // A string is not a number: Fastify would coerce it.
    ajv: { customOptions: { coerceTypes: false } },
  });

  const paths = new Set();
  app.addHook('onRoute', (route) => paths.add(route.url));
  app.setNotFoundHandler((request, reply) => {
    const exists = paths.has(request.url.split('?', 1)[0]);
    reply.code(exists ? 405 : 404).send({ error: exists ? 'Method Not Allowed' : 'Not Found' });
  });

  app.get('/health', async () => {
    await pool?.query('SELECT 1');
    return { status: 'ok' };
  });
  for (const workload of [hello, wait, fibonacci, jsonEcho, jsonLarge]) app.register(workload);
  if (pool) {
    for (const workload of [selectOne, usersOne, usersList, moviesList]) {
      app.register(workload, { pool });
    }
    if (settings.viacepUrl) app.register(cepLookup, { pool, viacepUrl: settings.viacepUrl });
  }
  return app;
}
