import type { TwilioAccount } from '../../../config/channel-accounts';
import type { OutboundRequest, OutboundResponse } from '../../../outbound/outbound-request';
import type { ChannelContext, Verdict } from '../channel';
import { asInteger, jsonObject } from '../verdicts/json-body';
import { statusVerdict } from '../verdicts/status-verdict';
import { requireVariable } from './required';

const CREATED = 201;
/** Statuses by which Twilio refuses the operator's account: https://www.twilio.com/docs/usage/twilios-response */
const REFUSED_VARIABLES = new Map([
  [401, 'TWILIO_AUTH_TOKEN'],
  [403, 'TWILIO_ACCOUNT_SID'],
]);

/** @throws NotConfigured */
export function twilioAccount({ accounts }: ChannelContext): TwilioAccount {
  return requireVariable(accounts.twilio, 'TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN');
}

/**
 * Creates a message or a call. Requests cost money, so each uses a new connection: when a kept one closes, it is unknown whether the
 * request arrived. https://www.twilio.com/docs/usage/requests-to-twilio
 */
export function twilioRequest(context: ChannelContext, resource: 'Messages' | 'Calls', form: Record<string, string>): OutboundRequest {
  const { sid, token } = twilioAccount(context);
  return {
    url: `${context.accounts.twilioApiUrl}/2010-04-01/Accounts/${sid}/${resource}.json`,
    headers: {
      authorization: `Basic ${Buffer.from(`${sid}:${token}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams(form).toString(),
    isTrusted: true,
    needsNewConnection: true,
    readsBody: (status) => status !== CREATED, // what has been created has cost its money, however the answer goes on
    needsWholeBody: true,
  };
}

/** Twilio answers 201 to what it has created. Error codes: https://www.twilio.com/docs/api/errors */
export function judgeTwilio(response: OutboundResponse, now: number): Verdict {
  const code = asInteger(jsonObject(response.body).code);
  const reason = code === undefined ? undefined : `error ${code}`;
  const verdict = statusVerdict(response, now, { isDelivered: response.status === CREATED, code, reason });
  const variable = REFUSED_VARIABLES.get(response.status);
  return variable ? { ...verdict, outcome: 'operator_error', isFinal: false, variable } : verdict;
}
