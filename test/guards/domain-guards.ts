import { contractTest, guard, protocolTest, unitTest } from './guard.js'

const folder = 'server/src/directory/domains'
const authority = `${folder}/authority.ts`
const states = `${folder}/states.ts`
const admission = 'server/src/sso/sign-in/admission.ts'
const matrix = (each: string) =>
  protocolTest('domain-authority', `a connection, and a directory, of an address whose domain is ${each}`)
const required = (title: string) =>
  protocolTest('sso-required', `where a domain demands single sign-on ${title}`)
const proof = (title: string) => contractTest('domains', `a proof ${title}`)
const created = (title: string) => contractTest('domains', `a new domain ${title}`)

/** Guards of domains: what proves them, and what vouches for their addresses. */
export const domainGuards = [
  guard({
    name: 'domains: only those that are proved or declared count',
    file: authority,
    find: "      and counted.state in ('verified', 'lapsing', 'declared')\n",
    replace: '',
    red: matrix('its own, lapsed'),
    green: matrix('its own, declared'),
  }),
  guard({
    name: 'domains: subdomains belong to a domain that says so',
    file: authority,
    find: '      and (label.place = 1 or counted.include_subdomains)\n',
    replace: '',
    red: protocolTest('domain-authority', 'a name below a domain is not the domain’s without its subdomains'),
    green: matrix('its own, declared'),
  }),
  guard({
    name: 'domains: addresses of subdomains belong to a domain that says so',
    file: authority,
    find: "(case when counted.include_subdomains then '.' || named.name end)",
    replace: "('.' || named.name)",
    red: matrix('a subdomain of its own'),
    green: matrix('its own, declared'),
  }),
  guard({
    name: 'domains: a list adds nothing to the names of a connection',
    file: authority,
    find: "when cardinality(${its('email_domains')}) > 0 then ${its('email_domains')}",
    replace:
      "when cardinality(${its('email_domains')}) > 0 then ${its('email_domains')} || ${sql.ref(`${organizations}.allowed_email_domains`)}",
    red: matrix('the organization’s, where it names another'),
    green: matrix('its own, declared'),
  }),
  guard({
    name: 'domains: a name of another connection is not the list’s',
    file: authority,
    find: '            and listed.name = any(naming.email_domains)\n',
    replace: '            and false\n',
    red: matrix('the organization’s, named by a second connection'),
    green: matrix('the organization’s, declared'),
  }),
  guard({
    name: 'domains: a subdomain ends with a dot and the domain',
    file: authority,
    find: "entry.startsWith('.') ? emailDomain.endsWith(entry) : emailDomain === entry",
    replace: "emailDomain.endsWith(entry.replace('.', ''))",
    red: matrix('one that ends alike'),
    green: matrix('a subdomain of its own with its subdomains'),
  }),
  guard({
    name: 'sso: the domain of another connection is the other’s',
    file: admission,
    find: "if (isOthers || otherDomains === 'refuse') return 'refused'",
    replace: "if (otherDomains === 'refuse') return 'refused'",
    red: matrix('a second connection’s, for any_address'),
    green: matrix('another than its own, for any_address'),
  }),
  guard({
    name: 'sso: other domains are refused where one is named',
    file: 'server/src/sso/sign-in/live-connection.ts',
    find: "? 'refuse' : 'create'",
    replace: "? 'create' : 'create'",
    red: matrix('another than its own, alone (M4)'),
    green: matrix('its own, declared'),
  }),
  guard({
    name: 'domains: a record has the token, whole',
    file: states,
    find: 'isSecretEqual(Buffer.from(text.trim()), wanted)',
    replace: 'text.startsWith(value)',
    red: proof('is the token of the organization and domain, and nothing else'),
    green: proof('is found by the worker, after five minutes'),
  }),
  guard({
    name: 'domains: a void token proves nothing',
    file: states,
    find: "  if (isOver(before, at) && before.state === 'pending')",
    replace: '  if (at.getTime() < 0)',
    red: unitTest(states, 'the checks of a pending domain after 2592000000 ms a proof gives expired'),
    green: unitTest(states, 'the checks of a pending domain after 2591999999 ms a proof gives verified'),
  }),
  guard({
    name: 'domains: no answer lapses nothing',
    file: states,
    find: "  if (result === 'no_answer') return",
    replace: "  if (result === 'matched') return",
    red: unitTest(states, 'a proved domain that lapses, with no_answer after 1728000000 ms is lapsing'),
    green: unitTest(states, 'a proved domain that lapses, with matched after 1728000000 ms is verified'),
  }),
  guard({
    name: 'domains: nobody owns a public suffix',
    file: `${folder}/domain-name.ts`,
    find: 'if (parse(name, { allowPrivateDomains: true }).publicSuffix === name)',
    replace: 'if (parse(name).hostname === undefined)',
    red: created('422 public_suffix: co.uk'),
    green: created('422 public_mail: Gmail.com'),
  }),
  guard({
    name: 'domains: nobody owns the domain of a mail provider',
    file: `${folder}/domain-name.ts`,
    find: 'if (publicMailDomains.has(name))',
    replace: "if (name === '')",
    red: created('422 public_mail: Gmail.com'),
    green: created('422 public_suffix: co.uk'),
  }),
  guard({
    name: 'domains: naming that of a mail provider declares nothing',
    file: `${folder}/declare.ts`,
    find: '[...new Set(names)].filter((name) => !publicMailDomains.has(name))',
    replace: '[...new Set(names)]',
    red: matrix('a mail provider’s'),
    green: matrix('its own, declared'),
  }),
  guard({
    name: 'domains: who shares a domain is told within the account',
    file: `${folder}/told.ts`,
    find: ".where(ofEnvironment({ accountId, environment }, 'domains'))",
    replace: ".where('domains.environment', '=', environment)",
    red: proof('that is in another account is told to nobody'),
    green: proof('of one domain by two organizations is good for both, and both are told'),
  }),
  guard({
    name: 'sso_required: a password is refused',
    file: 'server/src/sign-in/password/addressee.ts',
    find: "  if (connection.is_sso_required) throw new ApiError('sso_required')\n",
    replace: '',
    red: required('403: a password, a link and another password are refused'),
    green: required('an exempt address signs in as before, and keeps its session'),
  }),
  guard({
    name: 'sso_required: a link is refused',
    file: 'server/src/sign-in/magic-link/challenge.ts',
    find: "  if (addressee.is_sso_required) throw new ApiError('sso_required')\n",
    replace: '',
    red: required('403: a password, a link and another password are refused'),
    green: required('an exempt address signs in as before, and keeps its session'),
  }),
  guard({
    name: 'sso_required: a link of before is dead',
    file: 'server/src/sign-in/magic-link/consumed-link.ts',
    find: "  if (consumedLink.is_sso_required) return 'sso_required'\n",
    replace: '',
    red: required(
      'a link and a password of before are dead, and a page that asked for the password is refused',
    ),
    green: required('an exempt address signs in as before, and keeps its session'),
  }),
  guard({
    name: 'sso_required: exempt addresses',
    file: authority,
    find: '          and exemption.email_normalized = ${emailNormalized}\n',
    replace: '',
    red: protocolTest('sso-required', 'an exemption is of one address alone'),
    green: required('an exempt address signs in as before, and keeps its session'),
  }),
  guard({
    name: 'sso_required: a pending second factor completes nothing',
    file: 'server/src/sign-in/flows/pending-sign-in.ts',
    find: "  if (consumedFlow.is_sso_required && !consumedFlow.amr.includes('sso')) return undefined\n",
    replace: '',
    red: protocolTest('sso-required', 'a second factor that was pending at the switch completes nothing'),
    green: required('an exempt address signs in as before, and keeps its session'),
  }),
  guard({
    name: 'sso_required: sessions end at the switch',
    file: `${folder}/domains.ts`,
    find: '    if (after.sso_required) await endSessionsWithoutSso(deps, trx, place)\n',
    replace: '',
    red: required('a session by password ends at the switch, and when the connection comes later'),
    green: required('a connection that is switched off is no way around'),
  }),
]
