import { CheckRefusal } from './checks.js'
import { ns } from './saml-names.js'
import { childrenOf, isElement, onlyChildOf, elementText, walk, type XmlElement } from './xml-tree.js'

/** A response whose elements stand where they belong. Nothing of it is validated. */
export interface ResponseForm {
  readonly root: XmlElement
  /** Missing where the identity provider has refused. */
  readonly assertion: XmlElement | undefined
  readonly isEncrypted: boolean
  readonly isSigned: boolean
}

/** The parts of a response: each at most once, in its place, and nothing else (SAML core section 3.3.3). */
export function readResponseForm(root: XmlElement): ResponseForm {
  if (!isElement(root, ns.protocol, 'Response')) throw new CheckRefusal(`<${root.name}>`, '<samlp:Response>')
  if (root.attributes.Version !== '2.0')
    throw new CheckRefusal(root.attributes.Version ?? 'no version', '2.0')
  for (const child of root.children) checkChild(child)
  if (onlyChildOf(root, ns.protocol, 'Status') === undefined) throw new CheckRefusal('no status, or several')
  for (const [namespace, name] of once)
    if (childrenOf(root, namespace, name).length > 1) throw new CheckRefusal(`several of <${name}>`)

  const assertions = assertionsOf(root)
  const [assertion] = assertions
  if (assertions.length > 1) throw new CheckRefusal(`${assertions.length} assertions`, 'one')
  // A refusal has no assertion, and its status gives the reason.
  if (assertion === undefined && statusCodesOf(root)[0] === success)
    throw new CheckRefusal('no assertion', 'one')
  checkNesting(root, assertion)
  return {
    root,
    assertion,
    isEncrypted: assertion?.name === 'EncryptedAssertion',
    isSigned: onlyChildOf(root, ns.signature, 'Signature') !== undefined,
  }
}

/** The status must be a success; otherwise it gives the reason (SAML core section 3.2.2.2). */
export function checkStatus({ root }: ResponseForm): void {
  const codes = statusCodesOf(root)
  if (codes.length === 1 && codes[0] === success) return
  const message = elementText(
    onlyChildOf(onlyChildOf(root, ns.protocol, 'Status'), ns.protocol, 'StatusMessage'),
  )
  const said = codes.map((code) => code.replace(/^urn:oasis:names:tc:SAML:2\.0:status:/, '')).join(', ')
  throw new CheckRefusal(message === undefined ? said : `${said}: ${message}`, 'Success')
}

/** An assertion must contain no other one, and no response, neither as advice nor in an attribute. */
export function checkNesting(root: XmlElement, assertion: XmlElement | undefined): void {
  for (const element of walk(root)) {
    const isAssertion = /^(encrypted)?assertion$/i.test(element.name)
    if (isAssertion && element !== assertion) throw new CheckRefusal('a second assertion, in another place')
    if (element.name === 'Response' && element !== root) throw new CheckRefusal('a response within')
  }
}

const success = 'urn:oasis:names:tc:SAML:2.0:status:Success'

const once = [
  [ns.assertion, 'Issuer'],
  [ns.signature, 'Signature'],
  [ns.protocol, 'Extensions'],
] as const

const allowed = [
  ...once,
  [ns.protocol, 'Status'],
  [ns.assertion, 'Assertion'],
  [ns.assertion, 'EncryptedAssertion'],
] as const

function checkChild(child: XmlElement): void {
  if (allowed.some(([namespace, name]) => isElement(child, namespace, name))) return
  throw new CheckRefusal(`<${child.name}> of ${child.namespace === '' ? 'no namespace' : child.namespace}`)
}

function assertionsOf(root: XmlElement): XmlElement[] {
  return ['Assertion', 'EncryptedAssertion'].flatMap((name) => childrenOf(root, ns.assertion, name))
}

/** The status codes, from the outermost to the innermost. */
function statusCodesOf(root: XmlElement): string[] {
  const codes: string[] = []
  let at = onlyChildOf(onlyChildOf(root, ns.protocol, 'Status'), ns.protocol, 'StatusCode')
  while (at !== undefined) {
    codes.push(at.attributes.Value ?? '')
    at = onlyChildOf(at, ns.protocol, 'StatusCode')
  }
  return codes
}
