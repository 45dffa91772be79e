// Loaded into the service: the test's Caddy can't listen on port 443 without privileges, so connections to it go to another port.
const tls = require('node:tls');

const { connect } = tls;
tls.connect = (options, ...rest) => connect(options.port === 443 ? { ...options, port: Number(process.env.TLS_PORT) } : options, ...rest);
