const { AppModule } = require('../../dist/src/app.module.js');

/** Preloaded by a command: an extension that fails at its start and leaves a timer. */
class Forgetful {
  onApplicationBootstrap() {
    setInterval(() => undefined, 1_000);
    if (process.env.FAILS) throw new Error('The extension failed.');
  }
}

const start = AppModule.with.bind(AppModule);
AppModule.with = (config) => start(config, [{ module: Forgetful }]);
