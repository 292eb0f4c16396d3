import { menders, ssoChecks, ssoCheckNames, type Mender } from '@portico/contract/sso-checks'
import { exampleOf } from '@portico/contract/record'
import { SsoLoginTrace } from '@portico/contract/sso-records'

const whoMends: Readonly<Record<Mender, string>> = {
  identity_provider: 'the administrator of the identity provider',
  operator: 'you, with the API',
  user: 'the user',
  nobody: 'nobody; it is an attack, or looks like one',
}

/** guides/sso-troubleshooting.md: every check of a SAML response or of an OpenID provider's answer, who can mend what it refuses, and how. */
export function ssoTroubleshootingPage(): string {
  return [intro, reading, order, ...ssoCheckNames.map(checkSection), symptoms].join('\n\n') + '\n'
}

const intro = `# A sign-in by SSO fails

Built from the contract by \`npm run -w docs build\`.

The page that refuses a user says one sentence and a reference. The reason is in the trace of the sign-in, which the
page does not show: it would tell an attacker which check to try next.`

const reading = `## Read the trace

The reference of the page is the \`request_id\` of the trace. Without one, ask for \`outcome=failed\`, newest first.

\`\`\`sh
curl "$BASE/api/v2/sso-connections/$IDP_ID/login-traces?request_id=$REFERENCE" -H "Authorization: Bearer $TOKEN"
\`\`\`

\`\`\`json
${JSON.stringify(exampleOf(SsoLoginTrace), null, 2)}
\`\`\`

- \`failed_check\` is the first check that refused the response; the ones before it passed, and those after it were not made.
- \`mender\` says who can mend it, \`remedy\` how. \`expected\` and \`received\` of the last of \`checks\` show what differs.
- \`outcome\` is \`arrived\` where the response was right and the browser never came back with it: it blocks cookies, or the
  user closed the page.
- \`kind\` is \`test\` for the test of the onboarding, which creates nobody and opens no session; \`idp_initiated\` where nobody
  had asked for the response. After a bounce (\`unsolicited\` below) the sign-in itself is the next trace.
- No trace at all: the response did not come here. Compare the ACS URL at the identity provider with \`acs_url\`, the redirect URI
  at an OpenID provider with \`oidc_redirect_uri\`. Where many responses come from one network, the page asks to wait a quarter of
  an hour, and the log event \`SSO_END_USER_SAML_FAILED\` has the reason \`rate_limited\` once for them
  ([SAML_FAILURES_PER_IP](operate.md)).

Traces are kept for 30 days. Of what is refused when it comes, 200 a day are kept of a connection in each of four groups, so that
what anybody can send hides nothing else: responses whose signature is not right, and answers of an OpenID provider without an
open sign-in; other answers of an OpenID provider, up to the check \`oidc_id_token\`; signed responses that are too old, or have
come before; and what else the identity provider has signed. Of the last two groups 20 a day are kept of one NameID, and 20
without one. What is refused once the browser has come back is kept without a limit. The log events \`SSO_END_USER_SAML_FAILED\` and \`SSO_END_USER_OIDC_FAILED\` have the check as their \`reason\`.`

const order = `## The checks, in their order

A response of SAML goes through those whose names do not begin with \`oidc_\`; the answer of an OpenID provider through those that do.
Both go through the last ones, from [connection_active](#connection_active) on, which decide whom it lets in.

${menders.map((mender) => `- \`${mender}\`: ${whoMends[mender]}.`).join('\n')}`

function checkSection(name: (typeof ssoCheckNames)[number]): string {
  const { demands, mender, remedy } = ssoChecks[name]
  return [`### ${name}`, `Demands: ${demands}`, `Can be mended by ${whoMends[mender]}. ${remedy}`].join(
    '\n\n',
  )
}

const symptoms = `## Often

| What is seen                                          | Most often it is                                                    |
| ----------------------------------------------------- | ------------------------------------------------------------------- |
| It stopped for everybody on one day                   | [signature](#signature): the certificate there was replaced         |
| It stopped for everybody, by OpenID Connect           | [oidc_token](#oidc_token): the client secret has ended              |
| It never worked                                       | [audience](#audience), [recipient](#recipient), [destination](#destination): a value was not copied whole |
| It never worked, by OpenID Connect                    | [oidc_answer](#oidc_answer), [oidc_discovery](#oidc_discovery): redirect URI or issuer are not the same to the letter |
| Users who are there already are refused               | [linking](#linking): the domain is not listed, or the provider does not say that the address is verified |
| It fails for some                                     | [email_domain](#email_domain), [user_policy](#user_policy), [seats](#seats), [status](#status) |
| It fails now and then, at the first try in the morning | [request](#request): the page of the identity provider was open since yesterday |
| It fails from the portal of the identity provider     | [unsolicited](#unsolicited), or [destination_application](#destination_application): there is no default redirection |
| It fails by a bookmark                                | [request](#request), [replay](#replay): the bookmark is of a page in the middle of a sign-in |`
