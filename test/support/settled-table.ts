import { SettledIds } from '../../src/database/lists/settled-ids';
import type { TestApplication } from './application';

const LONG_MS = 11_000;
/** Each call moves the clock on from where the last one left it. */
let movedMs = 0;

/** Has what was inserted into a table remembered at once, as if it had been inserted a while ago. */
export async function settle({ app }: TestApplication, table: string): Promise<void> {
  for (let time = 0; time < 2; time++) {
    movedMs += LONG_MS;
    const clock = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + movedMs);
    await app.get(SettledIds).find(table);
    clock.mockRestore();
  }
}
