/** An extension whose module leaves a timer, and may fail. */
class Forgetful {
  constructor() {
    setInterval(() => undefined, 1_000);
    if (process.env.FAILS) throw new Error('The extension failed.');
  }
}

module.exports = { name: 'forgetful', modules: [Forgetful] };
