import { TestEnvironment } from 'jest-environment-node';
import { LOADED } from '../testing';
import { startSandbox } from './start-sandbox';

/** Jest can't load ES modules, as Nest's packages are, before Node 24.9: Node itself loads the sandbox, once a worker. */
export default class SandboxEnvironment extends TestEnvironment {
  override async setup(): Promise<void> {
    await super.setup();
    Object.assign(this.global, { [LOADED]: startSandbox });
  }
}
