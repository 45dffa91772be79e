import { setImmediate as yieldToEventLoop, setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { Clock } from '../../platform/common/clock';
import { Config } from '../../platform/config/config';
import { Background, PollLoop } from '../../platform/jobs/background';
import { ThrottledLog } from '../../platform/observability/logging';
import { CHANNELS } from '../channels/channel-table';
import { ATTEMPT_DEADLINE_MS, type Ending, LEASE_MS, type Settlement, type SlotClaim } from '../queue/claim';
import { DeliveryQueue } from '../queue/delivery-queue';
import { DELIVERY_WORK } from '../queue/enqueuer';
import { noAnswerResult } from '../queue/next-state';
import { Slots } from '../queue/slots';
import { AttemptRunner } from './attempt-runner';

/** How often to check for deliveries that other processes abandoned. */
const POLL_MS = 1_000;
/** Delay before the next cycle when a due lane could not be claimed: its account has used its share, or another process holds the lock. */
const CONTENTION_DELAY_MS = 100;
/** Longest wait for further attempts to end, so that one cycle settles them together. */
const MAX_GATHER_MS = 20;
/** Less than the 10 s that process managers commonly allow between SIGTERM and SIGKILL. */
const STOP_DEADLINE_MS = 9_000;
/** A request written later than this after the claim could outlast the lease. */
const MAX_WRITE_DELAY_MS = LEASE_MS - ATTEMPT_DEADLINE_MS - 1_000;
/** Age at which a mail's lease is renewed: an attempt can take minutes. */
const RENEWAL_AGE_MS = LEASE_MS / 3;
/** An older lease is not renewed: it is about to lapse, and another process may already be claiming its delivery. */
const MAX_RENEWAL_AGE_MS = LEASE_MS - 5_000;

interface Attempt {
  readonly claim: SlotClaim;
  readonly abortController: AbortController;
  /** When the lease began, by the monotonic clock. */
  leasedAt: number;
  /** False once a mail's SMTP DATA may be sent: waiting for the reply takes a socket, but no slot. */
  hasSlot: boolean;
}

/** Claims due deliveries and attempts them, up to DELIVERY_CONCURRENCY at once. */
@Injectable()
export class DeliveryWorker implements OnModuleInit {
  readonly name = DELIVERY_WORK;
  private readonly warning: ThrottledLog;
  private readonly slots: Slots;
  /** Attempts in progress, by delivery id. Each has its own abort signal: on a shared one, every attempt would scan all the listeners. */
  private readonly inProgress = new Map<number, Attempt>();
  /** Ended attempts whose results are not written yet. */
  private readonly newSettlements: Settlement[] = [];
  readonly loop = new PollLoop({
    cycle: () => this.cycle(),
    onError: (error) => this.warn(error),
    isIdle: () => this.inProgress.size === 0 && (this.isSettled || this.isCutOff),
  });
  /** Set at the stop deadline. Results not yet written then get only one more try, since the database may be down. */
  private isCutOff = false;
  private isStopping = false;

  constructor(
    private readonly queue: DeliveryQueue,
    private readonly runner: AttemptRunner,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly background: Background,
  ) {
    this.warning = new ThrottledLog(new Logger(DeliveryWorker.name), clock);
    this.slots = new Slots(config.deliveries.concurrency);
  }

  onModuleInit(): void {
    this.background.add(this);
  }

  start(): void {
    if (this.config.deliveries.concurrency > 0) this.loop.start();
  }

  async nextDue(accountId?: number): Promise<number> {
    if (this.loop.state === 'off') return Infinity;
    const due = await this.queue.nextDue(new Slots(this.config.deliveries.concurrency), accountId);
    const isBusy = [...this.inProgress.values(), ...this.newSettlements].some(
      ({ claim }) => accountId === undefined || claim.accountId === accountId,
    );
    return isBusy || this.queue.hasUncertainClaims || this.loop.state === 'cycling' ? 0 : due;
  }

  /** Releases attempts that haven't been sent, waits for the others, and writes the results. */
  async stop(): Promise<void> {
    this.isStopping = true;
    for (const { abortController } of this.inProgress.values()) abortController.abort();
    const timer = setTimeout(() => this.cutOff(), STOP_DEADLINE_MS);
    await this.loop.stop();
    clearTimeout(timer);
    if (!this.isSettled) await this.cycle().catch((error: unknown) => this.warn(error));
  }

  /** Whether the database knows how every claim ended. */
  private get isSettled(): boolean {
    return this.newSettlements.length === 0 && !this.queue.hasUncertainClaims;
  }

  /** Writes the results of ended attempts, starts attempts that are due, and returns the milliseconds until the next cycle. */
  private async cycle(): Promise<number> {
    await this.gather();
    await this.renewLeases();
    const settlements = this.newSettlements.splice(0);
    const slots = this.isStopping ? new Slots(0) : this.slots;
    const claimed = this.clock.monotonic();
    try {
      const claims = await this.queue.cycle(settlements, slots);
      if (claims.length === 0) return this.loop.isWoken ? 0 : await this.untilNextDue(slots);
      this.startAttempts(claims, claimed);
      return slots.isFull ? POLL_MS : 0; // there may be more
    } catch (error) {
      this.newSettlements.unshift(...settlements);
      throw error;
    }
  }

  /** While attempts keep ending, waits to settle them together: larger cycles cost less per attempt. */
  private async gather(): Promise<void> {
    await yieldToEventLoop(); // responses that have arrived end their attempts first
    for (let waited = 0, before = 0; waited < MAX_GATHER_MS && before < this.newSettlements.length; waited++) {
      before = this.newSettlements.length;
      await sleep(1);
    }
  }

  private startAttempts(claims: readonly SlotClaim[], leasedAt: number): void {
    const run = this.runner.load(claims);
    for (const claim of claims) {
      const lapsed = this.inProgress.get(claim.id); // still in progress, but a clock jump ended its lease
      if (lapsed) this.releaseSlot(lapsed);
      const attempt = { claim, abortController: new AbortController(), leasedAt, hasSlot: true };
      this.inProgress.set(claim.id, attempt);
      this.slots.take(claim.accountId, claim.use);
      if (this.isStopping) this.end(attempt, 'released');
      else void run(claim, this.optionsOf(attempt)).then((ending) => this.end(attempt, ending));
    }
  }

  private optionsOf(attempt: Attempt) {
    return {
      mayWrite: () => this.clock.monotonic() - attempt.leasedAt < MAX_WRITE_DELAY_MS,
      beforeContent: () => this.noteContent(attempt),
      abortSignal: attempt.abortController.signal,
    };
  }

  private async noteContent(attempt: Attempt): Promise<boolean> {
    const leasedAt = this.clock.monotonic();
    try {
      if (!(await this.queue.noteContent(attempt.claim))) return false;
    } catch (error) {
      this.warn(error);
      return false;
    }
    attempt.leasedAt = leasedAt;
    this.releaseSlot(attempt);
    this.loop.wake();
    return true;
  }

  /** Renews the leases of mails whose attempts are still in progress. */
  private async renewLeases(): Promise<void> {
    const now = this.clock.monotonic();
    const due = [...this.inProgress.values()].filter(({ claim, leasedAt }) => {
      return CHANNELS.get(claim.type)?.transport === 'smtp' && now - leasedAt >= RENEWAL_AGE_MS && now - leasedAt < MAX_RENEWAL_AGE_MS;
    });
    if (due.length === 0) return;
    await this.queue.renew(due.map(({ claim }) => claim));
    for (const attempt of due) attempt.leasedAt = now;
  }

  private end(attempt: Attempt, ending: Ending): void {
    const { claim } = attempt;
    this.releaseSlot(attempt);
    if (this.inProgress.get(claim.id) !== attempt) return; // cut off, or claimed again after its lease ended
    this.inProgress.delete(claim.id);
    this.newSettlements.push({ claim, ending });
    this.loop.wake();
  }

  private releaseSlot(attempt: Attempt): void {
    if (attempt.hasSlot) this.slots.release(attempt.claim.accountId, attempt.claim.use);
    attempt.hasSlot = false;
  }

  /** @returns milliseconds until a lane that these slots have room for is due */
  private async untilNextDue(slots: Slots): Promise<number> {
    if (slots.isFull) return POLL_MS;
    const left = (await this.queue.nextDue(slots).catch(() => Infinity)) - this.clock.now();
    return left > 0 ? Math.min(left, POLL_MS) : CONTENTION_DELAY_MS;
  }

  private warn(error: unknown): void {
    this.warning.log({ message: 'Deliveries are delayed: the queue could not be read or updated.', err: error });
  }

  /** Abandons attempts that are still waiting for a response: the process is about to exit. */
  private cutOff(): void {
    this.isCutOff = true;
    for (const attempt of this.inProgress.values()) {
      const hasContent = !attempt.hasSlot; // only a mail's attempt releases its slot before it ends
      this.end(attempt, noAnswerResult({ ...attempt.claim, hasContent }, this.clock.now()));
    }
    this.loop.wake();
  }
}
