import type { Server } from 'node:http';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Inject, Injectable, type Type } from '@nestjs/common';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { OperatorError } from '../../auth/accounts/accounts.service';
import { signatureOf } from '../../deliveries/channels/twilio-report';
import { Clock } from '../../platform/common/clock';
import { Network } from '../../platform/common/network';
import { DAY_MS, parseDuration } from '../../platform/common/time';
import { Config } from '../../platform/config/config';
import { RequestError } from '../../platform/common/errors';
import { Background, type BackgroundWork } from '../../platform/jobs/background';
import type { DnsAnswer } from './name-servers';
import type { Recorder } from './recorder';
import { SandboxAccounts } from './sandbox-accounts';
import type { AccountOptions, AnswerRule, SandboxAccount, Sent, SentFilter, TlsAnswer } from './sandbox.dto';

/** Longest step that `advance` accepts; keeps the time within the range of `Date`. */
const MAX_STEP_MS = 999_999 * DAY_MS;

/** `now()` is frozen between moves; `monotonic()` continues in real time, so that requests still time out. */
export class SandboxClock extends Clock {
  private advancedMs = 0;
  private time = super.now();

  override now(): number {
    return this.time;
  }

  override monotonic(): number {
    return super.monotonic() + this.advancedMs;
  }

  /** Moves forward only: an earlier time has no effect. */
  moveTo(time: number): void {
    const step = Math.max(0, time - this.time);
    this.time += step;
    this.advancedMs += step;
  }
}

/** A test's controls of its sandbox, over HTTP or in the same process. */
@Injectable()
export class Sandbox {
  /** For example `http://127.0.0.1:49152`. */
  url = '';
  /** Key of the account `sandbox`, with all scopes. */
  key = '';
  /** Describes the routes below `/sandbox`. */
  document: () => object;
  private app: NestExpressApplication;
  private dropDatabase: () => Promise<void>;

  constructor(
    private readonly accounts: SandboxAccounts,
    private readonly background: Background,
    @Inject(Clock) private readonly clock: SandboxClock,
    @Inject(Network) private readonly recorder: Recorder,
    private readonly config: Config,
  ) {}

  /** Called once the application listens. */
  async open(app: NestExpressApplication, url: string, dropDatabase: () => Promise<void>): Promise<void> {
    [this.app, this.url, this.dropDatabase] = [app, url, dropDatabase];
    this.key = (await this.account({ name: 'sandbox' })).key;
    await this.settle();
  }

  get httpServer(): Server {
    return this.app.getHttpServer();
  }

  get now(): Date {
    return new Date(this.clock.now());
  }

  /**
   * Creates an account with a key. Takes only milliseconds, so that each test can have its own and tests can run in parallel.
   * @throws RequestError for a name that is taken, or an unknown scope
   */
  async account(options: AccountOptions = {}): Promise<SandboxAccount> {
    try {
      return await this.accounts.create(options);
    } catch (error) {
      throw error instanceof OperatorError ? RequestError.of('invalid_parameter', error.message) : error;
    }
  }

  /** The requests and emails sent so far, oldest first. */
  sent(filter: SentFilter = {}): Sent[] {
    return this.recorder.find(filter);
  }

  /** Sets how receivers answer. The most specific rule applies; of equally specific ones, the newest. */
  answer(rule: AnswerRule): void {
    this.recorder.answers.add(rule);
  }

  /** Sets the name servers' answer. @throws RequestError when it is neither the values of a type nor a fault */
  dns(name: string, answer: DnsAnswer): void {
    const isComplete = answer.fault ? !answer.type && !answer.values : answer.type && answer.values;
    if (!isComplete) throw RequestError.of('invalid_parameter', 'Give type and values, or fault.');
    this.recorder.nameServers.set(name, answer);
  }

  /** Sets what visitors of a domain get over TLS, which the domain's check reads if EDGE_TARGET is set. */
  tls(host: string, answer: TlsAnswer): void {
    this.recorder.certificates.set(host, answer);
  }

  /**
   * Presses a key in a call that was sent, and returns the TwiML with which the call goes on.
   * @throws RequestError unless it is a call that waits for a key
   */
  async press(sent: Pick<Sent, 'id'>, key: string): Promise<string> {
    const twiml = new URLSearchParams(this.recorder.find({}).find(({ id }) => id === sent.id)?.request?.body).get('Twiml');
    const [, action] = /<Gather numDigits="1" action="([^"]*)"/.exec(twiml ?? '') ?? [];
    if (action === undefined)
      throw RequestError.of('invalid_parameter', 'The call asks for no key: send it with until=acknowledged and an https PUBLIC_URL.');
    const form = { CallStatus: 'in-progress', Digits: key };
    const signature = signatureOf(form, this.config.channels.twilio!.token, action);
    const { pathname } = new URL(action);
    const options = { method: 'POST', headers: { 'X-Twilio-Signature': signature }, body: new URLSearchParams(form) };
    return (await fetch(this.url + pathname, options)).text();
  }

  /**
   * Advances the clock by a duration such as `90s`, `15m`, `21h` or `7d`. Work that becomes due on the way runs in order, at its own time.
   * Returns the new time.
   * @throws RequestError for an invalid duration
   */
  async advance(duration: string): Promise<Date> {
    const step = parseDuration(duration);
    if (step === undefined || step > MAX_STEP_MS)
      throw RequestError.of('invalid_parameter', 'A duration must be a number and s, m, h or d, such as 21h.');
    const end = this.clock.now() + step;
    for (let next = await this.settled(); next <= end; next = await this.settled()) this.clock.moveTo(next);
    this.clock.moveTo(end);
    await this.settled();
    return this.now;
  }

  /** Resolves once nothing is due or in progress, for one account or for all. */
  async settle(account?: Pick<SandboxAccount, 'id'>): Promise<void> {
    await this.settled(account?.id);
  }

  /** Forgets everything except the first account and its keys. The clock keeps its time. */
  async reset(): Promise<void> {
    this.recorder.reset(); // closes hanging connections, too
    await this.settle();
    await this.accounts.deleteOtherAccounts();
    this.recorder.reset();
  }

  /** Returns a provider of the application. */
  get<T>(token: Type<T> | (abstract new (...given: never[]) => T) | string | symbol): T {
    return this.app.get<T>(token, { strict: false });
  }

  async stop(): Promise<void> {
    this.httpServer.closeAllConnections();
    this.recorder.close();
    await this.app.close();
    await this.dropDatabase();
  }

  /** Like `settle`; returns the time at which the next work is due. */
  private async settled(accountId?: number): Promise<number> {
    const { workList } = this.background;
    let next = 0;
    // Two idle checks in a row: events cause deliveries and deliveries cause events, which one check could miss.
    for (let idleChecks = 0; idleChecks < 2; idleChecks++) {
      const dueTimes = await Promise.all(workList.map((work) => work.nextDue(accountId)));
      next = Math.min(...dueTimes);
      if (next > this.clock.now()) continue;
      idleChecks = -1;
      for (const work of workList.filter((_, index) => dueTimes[index] <= this.clock.now())) await this.finish(work, accountId);
    }
    return next;
  }

  private async finish(work: BackgroundWork, accountId?: number): Promise<void> {
    work.loop.wake();
    await yieldToEventLoop(); // the woken cycle begins first
    while ((await work.nextDue(accountId)) <= this.clock.now()) await work.loop.cycleEnd();
  }
}
