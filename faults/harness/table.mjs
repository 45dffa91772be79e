/** A count that must be zero; `found` lists what was counted. */
export function none(what, count, found = []) {
  const details = [...new Set(found)].join(', ');
  return { what, figure: details ? `${number(count)}: ${details}` : number(count), bound: '0', isMet: count === 0 };
}

export function atMost(what, figure, bound, unit) {
  return {
    what,
    figure: Number.isFinite(figure) ? `${number(figure)} ${unit}` : 'never',
    bound: `at most ${number(bound)} ${unit}`,
    isMet: figure <= bound,
  };
}

/** Like `atMost`, for a figure that other load on the machine can spoil: the short run, which shares the machine with tests, accepts any. */
export function timed(context, what, figure, bound, unit) {
  return { ...atMost(what, figure, bound, unit), isBinding: context.either(true, !Number.isFinite(figure)) };
}

/** A condition that must hold. */
export function must(what, figure, bound, isMet) {
  return { what, figure, bound, isMet };
}

/** Guards against vacuous success: the number of checks must be above zero. */
export function tested(what, count) {
  return { what, figure: number(count), bound: 'more than 0', isMet: count > 0 };
}

export function toMarkdown(results) {
  const lines = results.flatMap(({ name, rows }) =>
    rows.map(
      ({ what, figure, bound, isMet, isBinding = true }) =>
        `| ${name}: ${escape(what)} | ${escape(figure)} | ${bound} | ${isMet ? 'yes' : isBinding ? '**no**' : 'no, only reported'} |`,
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
