import { contractTest, guard, unitTest } from './guard.js'

const spans = 'server/src/platform/observability/spans.ts'
const traceExport = 'server/src/platform/observability/trace-export.ts'
const requestLog = 'server/src/app/http/request-log.ts'

const told = (title: string) => contractTest('traces', title)
const made = (title: string) => unitTest(spans, title)

const ofSignIn = told(
  'a sign-in on the pages is in the trace of its caller, from /authorize to the token, with each statement',
)
const ofReceiver = told('an event has a trace of its own, which its receiver goes on with')
const ofJob = told('a job is in the trace of the request that has added it')
const ofProvider = told('calls to an identity provider are told, and it is told of no trace')
const ofSampled = made('a receiver is told of a trace that is sampled, and of no other')
const ofFailedJob = made('what a job throws is thrown, and the collector is told its class alone')
const withoutRatio = (isParentBased: boolean) =>
  made(`a sampler with ratio +0 and isParentBased ${isParentBased}`)

/** Guards of what a collector, a receiver and an identity provider are told of a trace, and of how many callers can have made. */
export const traceGuards = [
  guard({
    name: 'traces: how many a caller can have made',
    file: traceExport,
    find: 'Math.random() < ratio || isBelieved()',
    replace: 'Math.random() < ratio || isBelieved() || true',
    red: withoutRatio(true),
    green: withoutRatio(false),
  }),
  guard({
    name: 'traces: the sampler that does not ask callers',
    file: traceExport,
    find: 'samplerBy(() => Math.random() < ratio || isBelieved()) : byChance',
    replace: 'samplerBy(() => Math.random() < ratio || isBelieved()) : samplerBy(() => true)',
    red: withoutRatio(false),
    green: withoutRatio(true),
  }),
  guard({
    name: 'traces: the text of a statement',
    file: spans,
    find: 'begin(name, SpanKind.CLIENT, attributes, contextOf(around))',
    replace: 'begin(text, SpanKind.CLIENT, attributes, contextOf(around))',
    red: ofSignIn,
    green: ofReceiver,
  }),
  guard({
    name: 'traces: the template of a path',
    file: requestLog,
    find: 'route: templateOf(req),',
    replace: 'route: req.originalUrl,',
    red: ofSignIn,
    green: ofJob,
  }),
  guard({
    name: 'traces: the path of a call',
    file: spans,
    find: "'server.address': url?.hostname,",
    replace: "'server.address': url?.hostname, 'url.full': url?.href,",
    red: ofReceiver,
    green: ofJob,
  }),
  guard({
    name: 'traces: the message of an error',
    file: spans,
    find: 'return error instanceof Error ? error.name : typeof error',
    replace: 'return error instanceof Error ? `${error.name} ${error.message}` : typeof error',
    red: ofFailedJob,
    green: ofSampled,
  }),
  guard({
    name: 'traces: who hears of one',
    file: spans,
    find: 'call.isTraceContinued === true && place.isSampled',
    replace: 'place.isSampled',
    red: ofProvider,
    green: ofReceiver,
  }),
  guard({
    name: 'traces: a receiver of one that is not sampled',
    file: spans,
    find: 'call.isTraceContinued === true && place.isSampled',
    replace: 'call.isTraceContinued === true',
    red: ofSampled,
    green: ofFailedJob,
  }),
]
