import { expiryArgument, hostArgument, nameArgument } from '../../../src/programs/commands/arguments';
import { stopClock } from '../../support/jest/clock';

test.each([
  ['45s', 45],
  ['30m', 1_800],
  ['12h', 43_200],
  ['90d', 7_776_000],
])('the expiry %s is %d seconds from now', (text, seconds) => {
  stopClock();
  expect(expiryArgument(text).getTime()).toBe(Date.now() + seconds * 1_000);
});

test.each(['90', 'd', '0d', '-1d', '1.5h', '1w', '1D', '36501d', ''])('rejects the expiry %j', (text) => {
  expect(() => expiryArgument(text)).toThrow(/s, m, h or d, such as 90d/);
});

test('trims invisible characters from an argument, and rejects them within it', () => {
  expect([hostArgument('\u200bshop.example.com\ufeff'), nameArgument('\u202aNight\u202c')]).toEqual(['shop.example.com', 'Night']);
  expect(() => hostArgument('sh\u200bop.example.com')).toThrow('It holds an invisible character, U+200B.');
  expect(() => hostArgument('shop')).toThrow(/^It must be a host name/);
});
