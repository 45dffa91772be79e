import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { OperatorError } from '../auth/accounts/accounts.service';
import { Clock } from '../common/clock';
import { Network } from '../common/network';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../common/time';
import { RequestError } from '../http/request-error';
import { Background, type BackgroundWork } from '../jobs/background';
import type { AnswerRule } from './answers';
import type { DnsAnswer } from './names';
import type { Recorder, Sent, SentFilter } from './recorder';
import { type AccountOptions, SandboxAccounts, type SandboxAccount } from './sandbox-accounts';

const UNITS = new Map([
  ['s', SECOND_MS],
  ['m', MINUTE_MS],
  ['h', HOUR_MS],
  ['d', DAY_MS],
]);

/** Stands still until it is moved. Durations go on in real time: a request has its deadlines. */
export class SandboxClock extends Clock {
  private moved = 0;
  private time = super.now();

  override now(): number {
    return this.time;
  }

  override monotonic(): number {
    return super.monotonic() + this.moved;
  }

  /** Never goes back. */
  moveTo(time: number): void {
    const step = Math.max(0, time - this.time);
    this.time += step;
    this.moved += step;
  }
}

/** What a test does to its sandbox, over HTTP or within the process. */
@Injectable()
export class Steering {
  constructor(
    private readonly accounts: SandboxAccounts,
    private readonly background: Background,
    @Inject(Clock) private readonly clock: SandboxClock,
    @Inject(Network) private readonly recorder: Recorder,
  ) {}

  get now(): Date {
    return new Date(this.clock.now());
  }

  /** A new account and its key. @throws RequestError for a name that is taken, or an unknown scope */
  async account(options: AccountOptions = {}): Promise<SandboxAccount> {
    try {
      return await this.accounts.create(options);
    } catch (error) {
      throw error instanceof OperatorError ? RequestError.of('invalid_parameter', error.message) : error;
    }
  }

  /** What was sent, oldest first. */
  sent(filter: SentFilter = {}): Sent[] {
    return this.recorder.find(filter);
  }

  /** How receivers answer. */
  answer(rule: AnswerRule): void {
    this.recorder.answers.add(rule);
  }

  /** What name servers answer. @throws RequestError when it is neither the values of a type nor a fault */
  dns(name: string, { type, values, fault }: Partial<Record<string, unknown>>): void {
    const isComplete = fault === undefined ? type !== undefined && values !== undefined : type === undefined && values === undefined;
    if (!isComplete) throw RequestError.of('invalid_parameter', 'Give type and values, or fault.');
    this.recorder.names.set(name, (fault === undefined ? { type, values } : { fault }) as DnsAnswer);
  }

  /**
   * Moves the clock on by `90s`, `15m`, `21h` or `7d`. What becomes due on the way happens in its order, at its time. @throws RequestError for
   * another duration
   */
  async advance(duration: string): Promise<Date> {
    const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(duration) ?? [];
    if (count === undefined) throw RequestError.of('invalid_parameter', 'A duration must be a number and s, m, h or d, such as 21h.');
    await this.settle();
    const end = this.clock.now() + Number(count) * UNITS.get(unit)!;
    for (let next = await this.nextDue(); next <= end; next = await this.nextDue()) {
      this.clock.moveTo(next);
      await this.settle();
    }
    this.clock.moveTo(end);
    await this.settle();
    return this.now;
  }

  /** Resolves once nothing is due or at work, of one account or of all. */
  async settle(accountId?: number): Promise<void> {
    do {
      for (const work of this.background.works) {
        work.loop.wake();
        await yieldToEventLoop(); // to the cycle that the call has woken
        while (await this.isBusy(work, accountId)) await work.loop.cycled();
      }
      // Twice: an event becomes a delivery, and a delivery an event, which may pass between two looks.
    } while ((await this.isAnyBusy(accountId)) || (await this.isAnyBusy(accountId)));
  }

  /** Forgets everything but the first account and its key. The clock stays. */
  async reset(): Promise<void> {
    this.recorder.reset(); // also ends what hangs
    await this.settle();
    await this.accounts.deleteOthers();
    this.recorder.reset();
  }

  private async nextDue(): Promise<number> {
    return Math.min(...(await Promise.all(this.background.works.map((work) => work.nextDue()))));
  }

  private async isAnyBusy(accountId?: number): Promise<boolean> {
    for (const work of this.background.works) if (await this.isBusy(work, accountId)) return true;
    return false;
  }

  private async isBusy(work: BackgroundWork, accountId?: number): Promise<boolean> {
    return (await work.nextDue(accountId)) <= this.clock.now();
  }
}
