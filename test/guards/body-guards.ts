import { guard, unitTest } from './guard.js'

const size = 'server/src/platform/http/json-size.ts'
const body = 'server/src/platform/http/body.ts'

const json = (title: string) => unitTest(body, `JSON ${title}`)
const refuses = (what: string) => json(`nothing is made of a body of ${what}`)
const isRead = json('is read as it is')

/** What of a body is bounded before anything is made of it. */
export const bodyGuards = [
  guard({
    name: 'body: members in all',
    file: size,
    find: 'if (values >= bounds.values)',
    replace: 'if (values < 0)',
    red: refuses('1,001 numbers'),
    green: isRead,
  }),
  guard({
    name: 'body: different names',
    file: size,
    find: 'Math.max(distinct.size, wideNames) > bounds.names',
    replace: 'wideNames > bounds.names',
    red: refuses('151 names, one for each object'),
    green: isRead,
  }),
  guard({
    name: 'body: names of wide objects',
    file: size,
    find: 'Math.max(distinct.size, wideNames) > bounds.names',
    replace: 'distinct.size > bounds.names',
    red: refuses('5 objects of the same 140 names'),
    green: isRead,
  }),
  guard({
    name: 'body: levels',
    file: size,
    find: 'if (widths.length - 1 > maxJsonDepth)',
    replace: 'if (widths.length < 0)',
    red: refuses('33 levels'),
    green: isRead,
  }),
  guard({
    name: 'body: length of a name',
    file: size,
    find: 'if (at - start >= maxNameLength)',
    replace: 'if (at < 0)',
    red: refuses('a name of 1,001 characters'),
    green: isRead,
  }),
  guard({
    name: 'body: two members of one name',
    file: body,
    find: 'if (countNames(value) !== names)',
    replace: 'if (names < 0)',
    red: json('is malformed with two members of one name'),
    green: isRead,
  }),
  guard({
    name: 'body: UTF-8 alone',
    file: body,
    find: "if (charset !== 'utf-8')",
    replace: "if (charset === '')",
    red: json('is UTF-8 (RFC 8259 section 8.1)'),
    green: isRead,
  }),
]
