import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Browser, Page } from 'playwright-core';
import { type Sandbox, type SandboxAccount, startSandbox } from '../../../src/programs/sandbox/testing';
import { launchBrowser } from './browser';
import { onMysql } from '../servers/database';

/** How a person's device is set. */
export interface Device {
  language: 'en-GB' | 'pt-BR';
  colors: 'light' | 'dark';
  width: 360 | 1280;
}

export const DESK: Device = { language: 'en-GB', colors: 'light', width: 1280 };
export const DEVICES: readonly Device[] = (['en-GB', 'pt-BR'] as const).flatMap((language) =>
  (['light', 'dark'] as const).flatMap((colors) => ([360, 1280] as const).map((width) => ({ language, colors, width }))),
);

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
/** Of what moves without having been asked to, as browsers measure it. */
const COUNT_SHIFTS = `window.layoutShift = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((entry) => entry.hadRecentInput || (window.layoutShift += entry.value)))
    .observe({ type: 'layout-shift', buffered: true });`;
const HAS_UNREAD_NAMES = `[...document.querySelectorAll('.skeleton-name')].some((name) => name.getBoundingClientRect().top < innerHeight)`;
/** A failure names what it waited for, before jest's own deadline. */
const LONGEST_WAIT_MS = 60_000;

/** A person's window on the console: signs in, opens pages, and collects what the browser complains of. */
export class ConsoleWindow {
  readonly complaints: string[] = [];
  readonly requested: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly url: string,
  ) {
    page.on('console', (message) => {
      const isOfAnswer = message.text().startsWith('Failed to load resource'); // such as a probe for a scope
      if (message.type() === 'error' && !isOfAnswer) this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(error.message));
    void page.addInitScript(COUNT_SHIFTS);
    page.on('request', (request) => this.requested.push(request.url()));
  }

  /** `url` of the service. */
  static async create(browser: Browser, url: string, { language, colors, width }: Device = DESK): Promise<ConsoleWindow> {
    const context = await browser.newContext({ locale: language, colorScheme: colors, viewport: { width, height: 800 } });
    const page = await context.newPage();
    page.setDefaultTimeout(LONGEST_WAIT_MS);
    return new ConsoleWindow(page, url);
  }

  /** Another tab of the same browser, which is closed with this window. */
  async openTab(): Promise<ConsoleWindow> {
    const page = await this.page.context().newPage();
    page.setDefaultTimeout(LONGEST_WAIT_MS);
    return new ConsoleWindow(page, this.url);
  }

  async goTo(path: string): Promise<void> {
    await this.page.goto(`${this.url}/console${path}`);
  }

  async signIn(key: string, path = '/'): Promise<void> {
    await this.goTo(path);
    await this.page.locator('input[name="key"]').fill(key);
    await this.page.keyboard.press('Enter');
    await this.settled();
  }

  /** Opens a page with the key of this window, and forgets what was collected before. */
  async open(path: string): Promise<void> {
    this.complaints.length = this.requested.length = 0;
    await this.goTo(path);
    await this.settled();
  }

  /** Waits for the title of a page behind the sign-in, and until nothing is being loaded. */
  async settled(): Promise<void> {
    await this.page.locator('#main h1').waitFor();
    await this.page.locator('.skeleton').first().waitFor({ state: 'detached' });
  }

  /** Cumulative, since the page was opened; waits for the names on the screen. */
  async layoutShift(): Promise<number> {
    while (await this.page.evaluate(HAS_UNREAD_NAMES)) await sleep(50);
    return this.page.evaluate('window.layoutShift');
  }

  /** What axe-core finds, as `rule: element`. */
  violations(): Promise<string[]> {
    return this.inspect('violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html))');
  }

  /** The rules of axe-core that found elements to look at. */
  appliedRules(): Promise<string[]> {
    return this.inspect('[...passes, ...violations].map(({ id }) => id)');
  }

  /** Evaluated by the browser's own tools, which no CSP restricts. */
  private async inspect(result: string): Promise<string[]> {
    const session = await this.page.context().newCDPSession(this.page);
    const evaluate = async (expression: string): Promise<unknown> => {
      const { result } = await session.send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
      return result.value;
    };
    await evaluate(AXE);
    const run = `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then(({ passes, violations }) => ${result})`;
    const found = await evaluate(run);
    await session.detach();
    return found as string[];
  }

  /** Pixels that the page is wider than its window. */
  overflow(): Promise<number> {
    return this.page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

interface ConsoleSetup {
  sandbox: () => Sandbox;
  /** Closed after the test. */
  openWindow: (device?: Device) => Promise<ConsoleWindow>;
  /** Signed in with the sandbox's key, one a device, for all tests. */
  signedInWindow: (device: Device) => Promise<ConsoleWindow>;
  /** Creates a record as an API client, and returns its id. */
  post: (account: Pick<SandboxAccount, 'key'>, path: string, form: Record<string, string>) => Promise<number>;
}

/** A sandbox and a browser for the tests of a `describe`. */
export function useConsole(): ConsoleSetup {
  let sandbox: Sandbox;
  let browser: Browser | undefined;
  let windows: ConsoleWindow[] = [];
  const signedIn = new Map<string, ConsoleWindow>();

  beforeAll(async () => {
    sandbox = await startSandbox({ database: onMysql ? process.env.TEST_MYSQL_URL! : 'sqlite' });
    browser = await launchBrowser();
  });
  afterEach(async () => {
    await Promise.all(windows.map((window) => window.close()));
    windows = [];
  });
  afterAll(async () => {
    await browser?.close();
    await sandbox?.stop();
  });

  return {
    sandbox: () => sandbox,
    async openWindow(device) {
      const window = await ConsoleWindow.create(browser!, sandbox.url, device);
      windows.push(window);
      return window;
    },
    async signedInWindow(device) {
      const name = JSON.stringify(device);
      const known = signedIn.get(name);
      if (known) return known;
      const window = await ConsoleWindow.create(browser!, sandbox.url, device);
      await window.signIn(sandbox.key);
      signedIn.set(name, window);
      return window;
    },
    async post({ key }, path, form) {
      const headers = { Authorization: `Bearer ${key}` };
      const response = await fetch(`${sandbox.url}${path}`, { method: 'POST', headers, body: new URLSearchParams(form) });
      if (!response.ok) throw new Error(`${path}: ${await response.text()}`);
      return ((await response.json()) as { data: { id: number } }).data.id;
    },
  };
}
