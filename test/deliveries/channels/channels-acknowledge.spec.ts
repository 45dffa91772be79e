import { CHANNELS } from '../../../src/deliveries/channels/channel-table';
import { channelContext, jsonOf, outgoing, requestOf } from '../../support/areas/outgoing';

const acknowledge_url = `https://desk.example.com/acknowledge/${'Ab-_'.repeat(8)}`;
const LINE = `Acknowledge: ${acknowledge_url}`;
const LONGEST = { title: 't'.repeat(200), text: 'é'.repeat(4_000), url: `https://example.com/${'u'.repeat(2_000)}` };

/** The visible text, by type. */
const TEXT_OF: Record<string, (message: object) => string> = {
  email: (message) => {
    const channel = CHANNELS.get('email')!;
    if (channel.transport !== 'smtp') throw new Error('email is not sent by SMTP.');
    return channel.mail(outgoing(message), channelContext()).text.split('\n\n-- \n')[0];
  },
  slack: (message) => jsonOf<{ text: string }>('slack', message).text,
  discord: (message) => jsonOf<{ content: string }>('discord', message).content,
  telegram: (message) => jsonOf<{ text: string }>('telegram', message).text,
  twilio: (message) => new URLSearchParams(requestOf('twilio', message).body).get('Body')!,
  whatsapp: (message) => new URLSearchParams(requestOf('whatsapp', message).body).get('Body')!,
};

test.each(Object.keys(TEXT_OF))('%s: the acknowledgement link is the last line and never truncated', (type) => {
  expect(TEXT_OF[type]({ acknowledge_url })).toMatch(new RegExp(`\n${LINE}$`));
  expect(TEXT_OF[type]({ ...LONGEST, acknowledge_url })).toMatch(new RegExp(`\n${LINE}$`));
  expect(TEXT_OF[type]({})).not.toContain('Acknowledge');
});

test('slack: the acknowledgement link is a link element', () => {
  interface Sent {
    blocks: { elements: { elements: object[] }[] }[];
  }
  const [section] = jsonOf<Sent>('slack', { acknowledge_url }).blocks[0].elements;
  expect(section.elements.slice(-3)).toEqual([
    { type: 'text', text: '\n' },
    { type: 'text', text: 'Acknowledge: ' },
    { type: 'link', url: acknowledge_url },
  ]);
});

test('teams: the acknowledgement link is a linked text and a button', () => {
  interface Sent {
    attachments: { content: { body: { inlines: object[] }[]; actions?: object[] } }[];
  }
  expect(jsonOf<Sent>('microsoft_teams').attachments[0].content).not.toHaveProperty('actions');
  for (const message of [{}, LONGEST]) {
    const { body, actions } = jsonOf<Sent>('microsoft_teams', { ...message, acknowledge_url }).attachments[0].content;
    expect(actions).toEqual([{ type: 'Action.OpenUrl', title: 'Acknowledge', url: acknowledge_url }]);
    expect(body.at(-1)!.inlines).toEqual([
      { type: 'TextRun', text: 'Acknowledge: ' },
      { type: 'TextRun', text: acknowledge_url, selectAction: { type: 'Action.OpenUrl', url: acknowledge_url } },
    ]);
  }
});

test('whatsapp: the second template variable ends with the acknowledgement link', () => {
  const { accounts } = channelContext();
  const withTemplate = { accounts: { ...accounts, twilio: { ...accounts.twilio!, whatsappContentSid: 'HX1' } } };
  const form = new URLSearchParams(requestOf('whatsapp', { ...LONGEST, acknowledge_url }, withTemplate).body);
  const variables = JSON.parse(form.get('ContentVariables')!) as Record<string, string>;
  expect(variables[2].endsWith(LINE)).toBe(true);
});

test('twilio_call: the acknowledgement link is not read aloud', () => {
  expect(new URLSearchParams(requestOf('twilio_call', { acknowledge_url }).body).get('Twiml')).not.toContain('cknowledge');
});

test('webhook: acknowledge_url is a sixth field, only in messages that await an acknowledgement', () => {
  interface Sent {
    data: object;
  }
  expect(Object.entries(jsonOf<Sent>('webhook', { acknowledge_url }).data).at(-1)).toEqual(['acknowledge_url', acknowledge_url]);
  expect(Object.keys(jsonOf<Sent>('webhook').data)).toHaveLength(5);
});
