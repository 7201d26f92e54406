// What a deployer sets, from the environment alone.

const { env } = process;

const number = (name, standard) => {
  const value = Number(env[name] ?? standard);
  if (!Number.isInteger(value)) throw new Error(`${name}=${env[name]} is not a whole number`);
  return value;
};

const poolSize = number('DB_POOL_SIZE', 10);

export const settings = {
  host: env.HOST ?? '127.0.0.1',
  port: number('PORT', 8000),
  workers: number('WORKERS', 1),
  logRequests: env.LOG_REQUESTS === '1',
  keepAliveSeconds: number('KEEP_ALIVE_S', 72),
  // Absent: the routes that need it are not served.
  databaseUrl: env.DATABASE_URL,
  // Connections of the whole service, shared out over its worker processes.
  poolSize,
  poolIdle: number('DB_POOL_IDLE', poolSize),
  // Where ViaCEP is. Absent: addresses are not looked up.
  viacepUrl: env.VIACEP_URL,
};
