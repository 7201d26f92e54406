// `GET /api/v1/cep/:cep`: the address of a postal code, from the database or else from ViaCEP.

import { viaCep } from './viacep.js';

const PATH = '/api/v1/cep/:cep';

const SELECT = `
  SELECT left(l.cep, 5) || '-' || right(l.cep, 3) AS cep, l.logradouro, l.complemento,
         b.nome AS bairro, c.nome AS cidade, e.uf, e.nome AS estado, c.ibge
  FROM logradouro AS l
  JOIN cidade AS c ON c.ibge = l.ibge
  JOIN estado AS e ON e.uf = c.uf
  LEFT JOIN bairro AS b ON b.id = l.id_bairro
  WHERE l.cep = $1`;

// The update of a district that is there changes nothing: it makes the statement return its id.
const INSERT = `
  WITH new_cidade AS (
    INSERT INTO cidade (ibge, nome, uf) VALUES ($5, $6, $7) ON CONFLICT (ibge) DO NOTHING
  ), new_bairro AS (
    INSERT INTO bairro (ibge, nome) SELECT $5, $4::text WHERE $4::text IS NOT NULL
    ON CONFLICT (ibge, nome) DO UPDATE SET nome = excluded.nome RETURNING id
  )
  INSERT INTO logradouro (cep, logradouro, complemento, ibge, id_bairro)
  VALUES ($1, $2, $3, $5, (SELECT id FROM new_bairro))
  ON CONFLICT (cep) DO NOTHING`;

// How long an answer of ViaCEP is remembered: that there is none, and one that could not be stored.
const REMEMBERED_MS = 60_000;
const REMEMBERED_COUNT = 10_000;
// Longest wait for an address to be stored.
const STORE_LIMIT_MS = 1000;
// Time after which a client may try again.
const RETRY_AFTER_S = 5;

const text = { type: 'string' };
const maybe = { type: ['string', 'null'] };
const address = {
  type: 'object',
  properties: {
    cep: text,
    logradouro: maybe,
    complemento: maybe,
    bairro: maybe,
    cidade: text,
    uf: text,
    estado: text,
    ibge: text,
    provider: text,
  },
};
const schema = {
  params: {
    type: 'object',
    properties: { cep: { type: 'string', pattern: '^[0-9]{5}-?[0-9]{3}$' } },
  },
  response: { 200: address },
};

export async function cepLookup(app, { pool, viacepUrl }) {
  const viacep = viaCep(viacepUrl);
  app.addHook('onClose', () => viacep.close());
  const ask = askedOnce((cep) => fetchAndStore(viacep, pool, cep));

  app.get(PATH, { schema }, async (request, reply) => {
    const cep = request.params.cep.replace('-', '');
    const { rows } = await pool.query({ name: 'cep-lookup', text: SELECT, values: [cep] });
    if (rows.length > 0) return { ...rows[0], provider: 'database' };
    let found;
    try {
      found = await ask(cep);
    } catch {
      reply.code(503).header('Retry-After', RETRY_AFTER_S);
      return { error: 'ViaCEP failed' };
    }
    return found ?? reply.code(404).send({ error: 'no such CEP' });
  });

  // Fastify's parameters may be empty.
  app.get('/api/v1/cep/', (_request, reply) => reply.code(404).send({ error: 'Not Found' }));

  app.route({
    url: PATH,
    method: ['DELETE', 'PATCH', 'POST', 'PUT'],
    onRequest: (_request, reply) => reply.code(405).send({ error: 'Method Not Allowed' }),
    handler: () => {},
  });
}

// One call however many ask for the same CEP; what it gave is remembered for a while, unless it failed.
function askedOnce(call) {
  // In the order they began, which is the order they are forgotten in.
  const recent = new Map();

  return (cep) => {
    const known = recent.get(cep);
    if (known && (known.isPending || known.until > Date.now())) return known.answer;

    recent.delete(cep);
    if (recent.size >= REMEMBERED_COUNT) recent.delete(recent.keys().next().value);
    const entry = { isPending: true, until: 0, answer: call(cep) };
    recent.set(cep, entry);
    entry.answer.then(
      () => Object.assign(entry, { isPending: false, until: Date.now() + REMEMBERED_MS }),
      (error) => {
        console.error(`ViaCEP: ${error.message}`);
        if (recent.get(cep) === entry) recent.delete(cep);
      },
    );
    return entry.answer;
  };
}

async function fetchAndStore(viacep, pool, cep) {
  const record = await viacep.record(cep);
  if (record === null) return null;
  const found = {
    cep: record.cep,
    logradouro: record.logradouro || null,
    complemento: record.complemento || null,
    bairro: record.bairro || null,
    cidade: record.localidade,
    uf: record.uf,
    estado: record.estado,
    ibge: record.ibge,
    provider: 'viacep',
  };
  await store(pool, cep, found);
  return found;
}

// Stores an address for the next request. It is answered all the same when that fails.
async function store(pool, cep, { logradouro, complemento, bairro, ibge, cidade, uf }) {
  const values = [cep, logradouro, complemento, bairro, ibge, cidade, uf];
  const stored = pool
    .query({ name: 'cep-store', text: INSERT, values })
    .catch((error) => console.error(`${cep} is not stored: ${error.message}`));
  let timer;
  const late = new Promise((resolve) => {
    timer = setTimeout(resolve, STORE_LIMIT_MS);
  });
  await Promise.race([stored, late]);
  clearTimeout(timer);
}
