import { maskSettings, mergeSettings } from '../../src/notification-handlers/channel-settings';

test('given values override previous ones, and those the empty default', () => {
  expect(mergeSettings('telegram', { telegram: '1:new' }, { telegram: '1:old', telegram_chat_id: '7' })).toEqual({
    telegram: '1:new',
    telegram_chat_id: '7',
  });
  expect(mergeSettings('telegram', { telegram_chat_id: '' }, { telegram_chat_id: '7' })).toEqual({ telegram: '', telegram_chat_id: '' });
});

test('only the fields of the type are kept', () => {
  expect(mergeSettings('email', { email: 'a@example.com', slack: 'https://x.example' }, { webhook: 'x' })).toEqual({
    email: 'a@example.com',
  });
});

test('a mask shows the last four characters, and none of a value of four or fewer', () => {
  const masked = (webhook: string) => maskSettings('webhook', { webhook }).webhook;
  expect(masked('https://example.com/abcd')).toBe('••••abcd');
  expect(masked('abcd')).toBe('••••');
  expect(masked('')).toBe('');
});

test('a mask hides only secrets', () => {
  expect(maskSettings('telegram', { telegram: '123:abcdefgh', telegram_chat_id: '-100' })).toEqual({
    telegram: '••••efgh',
    telegram_chat_id: '-100',
  });
  expect(maskSettings('email', { email: 'a@example.com' })).toEqual({ email: 'a@example.com' });
});
