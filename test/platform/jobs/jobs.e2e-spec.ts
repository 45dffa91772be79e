/** @mysql always */
import { Injectable, Module } from '@nestjs/common';
import type { JobMethod } from '../../../src/platform/jobs/job.decorator';
import { Job } from '../../../src/platform/jobs/job.decorator';
import { Schedule } from '../../../src/platform/jobs/schedule';
import { Metrics } from '../../../src/platform/observability/metrics';
import { TestApplication, useApplication, withApplication } from '../../support/http/application';
import { holdClock, until } from '../../support/jest/clock';

const [MINUTE, HOUR, DAY] = [60_000, 3_600_000, 86_400_000];

@Injectable()
class Reports {
  work: JobMethod = () => Promise.resolve();
  runs = 0;

  @Job({ name: 'reports', everyMs: DAY })
  async write(signal: AbortSignal): Promise<void> {
    this.runs++;
    await this.work(signal);
  }
}

@Module({ providers: [Reports] })
class ReportsModule {}

const { application, database } = useApplication({ METRICS_PORT: '1' }, ReportsModule);
const reportsOf = ({ app }: TestApplication) => app.get(Reports);
const runDue = ({ app }: TestApplication) => app.get(Schedule).runDue();
/** Stops the application's own polls: the tests run the jobs. */
const endPolls = ({ app }: TestApplication) => app.get(Schedule).loop.stop();
const rowOf = async () => {
  const find = "SELECT due, failures FROM scheduled_jobs WHERE name = 'reports'";
  const [row] = await application().dataSource.query<Record<'due' | 'failures', number | string>[]>(find);
  return { due: Number(row.due), failures: Number(row.failures) };
};
let clock: { move(milliseconds: number): void };

beforeEach(async () => {
  await endPolls(application());
  reportsOf(application()).work = () => Promise.resolve();
  await runDue(application());
  await application().dataSource.query('UPDATE scheduled_jobs SET due = 0, failures = 0');
  clock = holdClock(application());
  reportsOf(application()).runs = 0;
});

/** A second process on the same database, with the clock of the first. */
const withOther = (work: (other: TestApplication) => Promise<void>) =>
  withApplication(
    database().env,
    async (other) => {
      await endPolls(other);
      await runDue(other);
      reportsOf(other).runs = 0;
      await work(other);
    },
    ReportsModule,
  );

test('a daily job runs once a day in all processes together', async () => {
  await withOther(async (other) => {
    const clocks = [clock, holdClock(other)];
    const runs = () => reportsOf(application()).runs + reportsOf(other).runs;
    await application().dataSource.query('UPDATE scheduled_jobs SET due = 0');
    for (let day = 1; day <= 3; day++) {
      for (let hour = 0; hour < 24; hour += 8) {
        await Promise.all([runDue(application()), runDue(other), runDue(application())]);
        expect(runs()).toBe(day);
        for (const each of clocks) each.move(8 * HOUR);
      }
    }
  });
});

test('a running job renews its lease, and another process takes over an expired one', async () => {
  let end = () => {};
  reportsOf(application()).work = () => new Promise<void>((resolve) => (end = resolve));
  const running = runDue(application());
  await until(() => reportsOf(application()).runs === 1);
  await withOther(async (other) => {
    const later = holdClock(other);
    later.move(MINUTE);
    await runDue(other);
    expect(reportsOf(other).runs).toBe(0);
    later.move(2 * MINUTE);
    await runDue(other);
    expect(reportsOf(other).runs).toBe(1);
  });
  const taken = await rowOf();
  end();
  await running;
  expect(await rowOf()).toEqual(taken); // the result of the expired lease is not written
});

test('a failed job is retried after one, two and four minutes, and runs daily again after a success', async () => {
  reportsOf(application()).work = () => Promise.reject(new Error('no paper'));
  for (const [failures, minutes] of [1, 2, 4].entries()) {
    await runDue(application());
    expect(reportsOf(application()).runs).toBe(failures + 1);
    expect((await rowOf()).failures).toBe(failures + 1);
    clock.move(minutes * MINUTE - 1);
    await runDue(application());
    expect(reportsOf(application()).runs).toBe(failures + 1);
    clock.move(1);
  }
  reportsOf(application()).work = () => Promise.resolve();
  await runDue(application());
  const { due, failures } = await rowOf();
  expect(failures).toBe(0);
  clock.move(DAY);
  await runDue(application());
  expect((await rowOf()).due).toBe(due + DAY);
});

test('shutdown aborts the jobs of a process, and another process runs them', async () => {
  await withOther(async (other) => {
    reportsOf(other).work = (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    await application().dataSource.query('UPDATE scheduled_jobs SET due = 0');
    void runDue(other);
    await until(() => reportsOf(other).runs === 1);
    await runDue(application());
    expect(reportsOf(application()).runs).toBe(0);
  });
  clock.move(MINUTE);
  await runDue(application());
  expect(reportsOf(application()).runs).toBe(1);
});

test('job runs are counted by result', async () => {
  const { registry } = application().app.get(Metrics);
  const countOf = async (result: string) => {
    const line = (await registry.metrics()).split('\n').find((each) => each.includes(`job="reports",result="${result}"`));
    return Number(line?.split(' ').at(-1) ?? 0);
  };
  const before = [await countOf('done'), await countOf('failed')];
  await runDue(application());
  reportsOf(application()).work = () => Promise.reject(new Error('no paper'));
  clock.move(DAY);
  await runDue(application());
  expect([await countOf('done'), await countOf('failed')]).toEqual(before.map((count) => count + 1));
});

test('two jobs with the same name stop the start', async () => {
  @Injectable()
  class Others {
    @Job({ name: 'reports', everyMs: DAY })
    write(): Promise<void> {
      return Promise.resolve();
    }
  }
  @Module({ providers: [Others] })
  class OthersModule {}
  await expect(TestApplication.start(database().env, ReportsModule, OthersModule)).rejects.toThrow('Two jobs have the name reports.');
});
