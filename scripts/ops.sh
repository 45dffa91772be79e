#!/usr/bin/env bash
# Checks ops/ with the tools of those who read it. Needs Debian's packages prometheus and systemd.
set -euo pipefail
cd "$(dirname "$0")/.."

promtool check rules ops/prometheus/alerts.yaml
promtool test rules ops/prometheus/alerts.test.yaml
for alert in $(sed -n 's/.*- alert: //p' ops/prometheus/alerts.yaml); do
  grep -q "alertname: $alert\$" ops/prometheus/alerts.test.yaml || { echo "alerts.test.yaml lacks a test in which $alert fires." >&2; exit 1; }
  grep -q "\`$alert\`" docs/operate/alerts.md || { echo "docs/operate/alerts.md doesn't say what to do about $alert." >&2; exit 1; }
done
systemd-analyze verify ops/frontdesk.service
systemd-analyze security --offline=true --no-pager --threshold=40 ops/frontdesk.service | tail -1
sh -n ops/frontdesk
systemd-sysusers --dry-run "$PWD/ops/frontdesk.sysusers.conf"

# Kubernetes' own schemas, as an npm package: kubeconform is no package of Debian's.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
npm install --silent --no-save --prefix "$work" kubernetes-models@4.5.1 js-yaml@4.1.0
NODE_PATH=$work/node_modules node - ops/kubernetes.yaml <<'EOF'
const { readFileSync } = require('node:fs');
const { loadAll } = require('js-yaml');
const documents = loadAll(readFileSync(process.argv[2], 'utf8'));
for (const each of documents) new (require(`kubernetes-models/${each.apiVersion}/${each.kind}`)[each.kind])(each).validate();
console.log(`ops/kubernetes.yaml: ${documents.length} valid objects`);
EOF
