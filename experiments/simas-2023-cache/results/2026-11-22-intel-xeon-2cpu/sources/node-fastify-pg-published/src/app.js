// The application: its routes.

import Fastify from 'fastify';

import { jsonLarge } from './json_large.js';
import { moviesList } from './movies_list.js';

export function build(pool, settings) {
  const app = Fastify({
    logger: settings.logRequests,
    keepAliveTimeout: settings.keepAliveSeconds * 1000,
  });

  app.get('/health', async () => {
    await pool?.query('SELECT 1');
    return { status: 'ok' };
  });
  app.register(jsonLarge);
  if (pool) app.register(moviesList, { pool });
  return app;
}
