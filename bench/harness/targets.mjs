import { ORDERS, PLACES } from './works.mjs';

const OWN = 'frontdesk';
/** A page ordered by a related name may take longer. */
const RELATED = ['atendente-nome'];
const TIMES = '×';

const against = (work, peer, least) => ({
  text: (title) => `${title(work)}: requests/s against ${peer}`,
  least,
  figure: (figures) => figures.ratio('rate', [work, OWN], [work, peer]),
});
const asFastAsSmall = (work, most) => ({
  text: (title) => `${title(work)}: p50 against the own p50 of ${title('small-first')}`,
  most,
  figure: (figures) => figures.ratio('p50', [work, OWN], ['small-first', OWN]),
});

const asFastInOrder = (order, place) => ({
  text: (title) => `${title(`order-${order}-large-${place}`)}: p50 against the own p50 of the account of 100`,
  most: RELATED.includes(order) ? 10 : 3,
  figure: (figures) => figures.ratio('p50', [`order-${order}-large-${place}`, OWN], [`order-${order}-small-any`, OWN]),
});
const fasterThanByHand = (work, most) => ({
  text: (title) => `${title(work)}: p50 against by-hand, LIKE '%…%'`,
  most,
  figure: (figures) => figures.ratio('p50', [work, OWN], [work, 'by-hand']),
});

const TARGETS = [
  against('read', 'nest-with-the-same', 0.85),
  against('list-25', 'nest-with-the-same', 0.85),
  against('list-1000', 'nest-with-the-same', 1),
  against('create', 'nest-with-the-same', 0.8),
  against('update', 'nest-with-the-same', 0.8),
  against('read', 'by-hand', 0.6),
  against('list-25', 'by-hand', 0.75),
  against('list-1000', 'by-hand', 1.4),
  against('notifications-1000', 'by-hand', 1.2),
  against('create', 'by-hand', 0.6),
  against('update', 'by-hand', 0.6),
  against('create', 'by-hand-audited', 0.9),
  against('update', 'by-hand-audited', 0.9),
  asFastAsSmall('large-first', 2),
  asFastAsSmall('large-last', 2),
  {
    text: (title) => `${title('large-middle')}: p50 against textbook`,
    most: 0.25,
    figure: (figures) => figures.ratio('p50', ['large-middle', OWN], ['large-middle', 'textbook']),
  },
  {
    text: (title) => `${title('walk')}: its last hundred pages against its first hundred`,
    most: 1.5,
    figure: (figures) => figures.ratioWithin('walk', OWN, 'last', 'first'),
  },
  against('scheduling', 'by-hand', 0.9),
  ...ORDERS.flatMap((order) => PLACES.map((place) => asFastInOrder(order, place))),
  ...['texts-none', 'texts-few'].map((work) => fasterThanByHand(work, 0.25)),
];

/** The targets whose works were measured. */
export function measureTargets(works, figures) {
  const title = (name) => works.find((work) => work.name === name)?.title;
  return TARGETS.flatMap(({ text, least, most, figure }) => {
    const measured = figure(figures);
    if (measured === undefined) return [];
    const bound = least === undefined ? `at most ${most}${TIMES}` : `at least ${least}${TIMES}`;
    const isMet = least === undefined ? measured <= most : measured >= least;
    return [{ text: text(title), bound, isMet, measured: measured.toFixed(2) + TIMES }];
  });
}

export function targetsTable(targets) {
  const lines = targets.map(({ text, bound, measured, isMet }) => `| ${text} | ${bound} | ${measured} | ${isMet ? 'yes' : '**no**'} |`);
  return ['| target | bound | measured | met |', '|---|---|---|---|', ...lines].join('\n');
}

/** The targets that a database misses, with the figure measured on each database. */
export function missedTable(results) {
  const missed = new Map(results.flatMap(({ targets }) => targets.filter(({ isMet }) => !isMet).map(({ text, bound }) => [text, bound])));
  const cell = (targets, text) => {
    const { measured = '–', isMet = true } = targets.find((target) => target.text === text) ?? {};
    return isMet ? measured : `**${measured}**`;
  };
  const lines = [...missed].map(([text, bound]) => [text, bound, ...results.map(({ targets }) => cell(targets, text))]);
  const header = ['target', 'bound', ...results.map(({ title }) => title)];
  return [header, header.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
