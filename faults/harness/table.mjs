/** A count that has to be nothing. */
export function none(what, count) {
  return { what, figure: number(count), bound: '0', isMet: count === 0 };
}

export function atMost(what, figure, bound, unit) {
  return {
    what,
    figure: Number.isFinite(figure) ? `${number(figure)} ${unit}` : 'never',
    bound: `at most ${number(bound)} ${unit}`,
    isMet: figure <= bound,
  };
}

/** What is so, or isn't. */
export function must(what, figure, bound, isMet) {
  return { what, figure, bound, isMet };
}

/** A bound that says nothing without its subject: a check of nothing would meet it. */
export function tested(what, count) {
  return { what, figure: number(count), bound: 'more than 0', isMet: count > 0 };
}

export function toMarkdown(results) {
  const lines = results.flatMap(({ name, rows }) =>
    rows.map(
      ({ what, figure, bound, isMet }) => `| ${name}: ${escape(what)} | ${escape(figure)} | ${bound} | ${isMet ? 'yes' : '**no**'} |`,
    ),
  );
  return ['| fault | figure | bound | met |', '|---|---|---|---|', ...lines].join('\n');
}

export function areAllMet(results) {
  return results.every(({ rows }) => rows.every(({ isMet }) => isMet));
}

function number(value) {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 });
}

function escape(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
