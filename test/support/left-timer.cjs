const { AppModule } = require('../../dist/src/app.module.js');

/** Preloaded by a command: an extension whose provider leaves a timer, and may fail. */
class Forgetful {
  constructor() {
    setInterval(() => undefined, 1_000);
    if (process.env.FAILS) throw new Error('The extension failed.');
  }
}

const start = AppModule.forRoot.bind(AppModule);
AppModule.forRoot = (config, extensions) =>
  start(config, Object.create(extensions, { modules: { value: [...extensions.modules, Forgetful] } }));
