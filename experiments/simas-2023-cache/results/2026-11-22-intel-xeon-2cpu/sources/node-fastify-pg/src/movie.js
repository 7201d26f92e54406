// The schema of a movie, as two workloads answer it.

const text = { type: 'string' };
const integer = { type: 'integer' };

export const movie = {
  type: 'object',
  properties: {
    id: text,
    name: text,
    release_date: text,
    director: text,
    description: text,
    duration: integer,
    budget: integer,
    created_at: text,
    updated_at: text,
  },
};
