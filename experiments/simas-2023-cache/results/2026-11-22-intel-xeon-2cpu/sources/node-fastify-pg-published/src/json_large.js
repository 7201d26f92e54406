// `GET /cache`: 1,000 movies built for every request, or `?objects=100`.

const schema = {
  querystring: {
    type: 'object',
    properties: { objects: { enum: ['100', '1000'], default: '1000' } },
  },
};

export async function jsonLarge(app) {
  app.get('/cache', { schema }, async (request) =>
    Array.from({ length: Number(request.query.objects) }, (_, index) => buildMovie(index)),
  );
}

// Two fields short of a movie in the database.
function buildMovie(index) {
  return {
    id: `00000000-0000-4000-8000-${index.toString(16).padStart(12, '0')}`,
    name: 'any-movie-name',
    release_date: '2023-08-24T00:00:00Z',
    director: 'any-movie-director',
    description: 'any-movie-description',
    duration: 1000,
    budget: 10_000,
  };
}
