// `GET /cache?objects=100|1000`: movies built for every request.

import { movie } from './movie.js';

const schema = {
  querystring: {
    type: 'object',
    required: ['objects'],
    properties: { objects: { enum: ['100', '1000'] } },
  },
  response: { 200: { type: 'array', items: movie } },
};

export async function jsonLarge(app) {
  app.get('/cache', { schema }, async (request) =>
    Array.from({ length: Number(request.query.objects) }, (_, index) => buildMovie(index)),
  );
}

function buildMovie(index) {
  return {
    id: `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
    name: 'any-movie-name',
    release_date: '2023-08-24T00:00:00Z',
    director: 'any-movie-director',
    description: 'any-movie-description',
    duration: 1000,
    budget: 10_000,
    created_at: '2023-08-24T12:00:00Z',
    updated_at: '2023-08-24T12:00:00Z',
  };
}
