// `GET /async`: a wait that holds no thread.

import { setTimeout } from 'node:timers/promises';

export async function wait(app) {
  app.get('/async', async () => {
    await setTimeout(2);
    return 'OK';
  });
}
