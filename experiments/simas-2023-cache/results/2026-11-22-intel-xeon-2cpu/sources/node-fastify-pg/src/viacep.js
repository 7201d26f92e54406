// The client of ViaCEP, one for the process.

import { Pool } from 'undici';

const CONNECT_LIMIT_MS = 1000;
// Of a whole call, waiting for its turn included.
const CALL_LIMIT_MS = 3000;
const CALLS_AT_ONCE = 32;

const FIELDS = ['cep', 'logradouro', 'complemento', 'bairro', 'localidade', 'uf', 'estado', 'ibge'];

export function viaCep(url) {
  const pool = new Pool(url, {
    connections: CALLS_AT_ONCE,
    pipelining: 1,
    connect: { timeout: CONNECT_LIMIT_MS },
  });

  return {
    close: () => pool.destroy(),

    // What ViaCEP has of eight digits, or `null`: it has nothing. All else is an error, never `null`.
    async record(cep) {
      const { statusCode, body } = await pool.request({
        method: 'GET',
        path: `/ws/${cep}/json/`,
        signal: AbortSignal.timeout(CALL_LIMIT_MS),
      });
      if (statusCode !== 200) {
        await body.dump();
        throw new Error(`status ${statusCode}`);
      }
      const record = await body.json();
      // Documented as true; since 2022 it has been "true".
      if (record?.erro === true || record?.erro === 'true') return null;
      if (!FIELDS.every((field) => typeof record?.[field] === 'string')) {
        throw new Error('its answer is not an address');
      }
      if (record.cep.replace('-', '') !== cep) {
        throw new Error(`asked for ${cep}, answered ${record.cep}`);
      }
      return record;
    },
  };
}
