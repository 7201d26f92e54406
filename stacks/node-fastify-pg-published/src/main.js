// Starts the worker processes, or the one service, and stops them on SIGTERM.

import cluster from 'node:cluster';

import { build } from './app.js';
import { connect } from './database.js';
import { settings } from './settings.js';

if (cluster.isPrimary && settings.workers > 1) {
  superviseWorkers();
} else {
  await serve();
}

function superviseWorkers() {
  for (let worker = 0; worker < settings.workers; worker += 1) cluster.fork();

  let stopping = false;
  const stop = () => {
    stopping = true;
    for (const worker of Object.values(cluster.workers)) worker.process.kill('SIGTERM');
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  // A service that has lost a worker is not the service that was asked for.
  cluster.on('exit', (_worker, code) => {
    if (stopping) return;
    process.exitCode = code || 1;
    stop();
  });
}

async function serve() {
  const pool = settings.databaseUrl === undefined ? undefined : await connect(settings);
  const app = build(pool, settings);
  await app.listen({ host: settings.host, port: settings.port });

  const stop = async () => {
    // A client that never finishes its request must not keep the service alive.
    setTimeout(() => process.exit(0), 1000).unref();
    await app.close();
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
