import { TestEnvironment } from 'jest-environment-node';
import { LOADED_START_SANDBOX } from './testing';
import { startSandbox } from './start-sandbox';

/** Jest can't load ES modules such as Nest's without --experimental-vm-modules: so Node loads the sandbox here, once per worker. */
export default class SandboxEnvironment extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup();
    Object.assign(this.global, { [LOADED_START_SANDBOX]: startSandbox });
  }
}
