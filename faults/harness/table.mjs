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

/** A row that another's work on the machine can spoil: the short form, which runs beside a whole test run, tells it and goes on. */
export function timed(context, row) {
  return { ...row, isBinding: context.either(true, false) };
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
      ({ what, figure, bound, isMet, isBinding = true }) =>
        `| ${name}: ${escape(what)} | ${escape(figure)} | ${bound} | ${isMet ? 'yes' : isBinding ? '**no**' : 'no, told only'} |`,
    ),
  );
  return ['| fault | figure | bound | met |', '|---|---|---|---|', ...lines].join('\n');
}

export function areAllMet(results) {
  return results.every(({ rows }) => rows.every(({ isMet, isBinding = true }) => isMet || !isBinding));
}

function number(value) {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 });
}

function escape(text) {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
