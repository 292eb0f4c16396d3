import { copy, settings, text, warn, words } from './blocks.js'
import type { OidcTutorial } from './tutorial.js'

export const customOidc: OidcTutorial = {
  id: 'custom_oidc',
  name: 'OpenID Connect',
  mark: 'ID',
  minutes: 10,
  checkedOn: null,
  steps: [
    {
      id: 'client',
      title: words('Register us as a client', 'Nous enregistrer comme client'),
      blocks: [
        text(
          'In your provider, create a client for a web application with a back end, which keeps a secret: often called **confidential client**. Enter this address as the redirect URI, to the letter:',
          'Chez votre fournisseur, créez un client pour une application web avec un serveur, qui garde un secret\u00a0: souvent appelé **confidential client**. Saisissez cette adresse comme URI de redirection, à la lettre\u00a0:',
        ),
        copy('Redirect URI', 'redirect_uri'),
        settings(
          ['Flow, response type', 'Authorization code'],
          ['PKCE', 'S256'],
          ['Client authentication', 'client_secret_basic / client_secret_post'],
          ['ID token signature', 'RS256 / ES256'],
        ),
      ],
    },
    {
      id: 'scopes',
      title: words('Allow the scopes', 'Autoriser les portées'),
      blocks: [
        text('Let the client ask for these scopes:', 'Permettez au client de demander ces portées\u00a0:'),
        copy('Scopes', 'scopes'),
        text(
          'The ID token, or else the UserInfo endpoint, has to say **email**, and **email_verified** as true: without it nobody is linked to an account that is there already. **given_name** and **family_name** are taken where they come.',
          'Le jeton ID, ou sinon le point d’accès UserInfo, doit fournir **email**, et **email_verified** à true\u00a0: sans cela, personne n’est rattaché à un compte existant. **given_name** et **family_name** sont repris s’ils arrivent.',
        ),
        warn(
          '**sub** has to stay the same for a user for good, and must never be given to another one. It is what we know a user by.',
          '**sub** doit rester le même pour un utilisateur, à vie, et n’être jamais donné à un autre. C’est par lui que nous connaissons un utilisateur.',
        ),
      ],
    },
    {
      id: 'values',
      title: words('Fetch the three values', 'Récupérer les trois valeurs'),
      blocks: [
        text(
          'Keep the client ID and the client secret at hand: on the next page you enter them, with the issuer. The issuer is the address before **/.well-known/openid-configuration**, where your provider describes itself.',
          'Gardez l’identifiant et le secret du client sous la main\u00a0: vous les saisissez à la page suivante, avec l’émetteur. L’émetteur est l’adresse qui précède **/.well-known/openid-configuration**, où votre fournisseur se décrit.',
        ),
        warn(
          'We have to reach that address from the public internet, by https.',
          'Nous devons pouvoir joindre cette adresse depuis l’internet public, en https.',
        ),
      ],
    },
  ],
  client: {
    issuerExample: 'https://id.example.com',
    issuer: words(
      'The member **issuer** of the discovery document, to the letter.',
      'Le membre **issuer** du document de découverte, à la lettre.',
    ),
    clientId: words('What your provider calls the client.', 'Le nom que votre fournisseur donne au client.'),
    clientSecret: words(
      'Shown when the client was created, often only once.',
      'Affiché à la création du client, souvent une seule fois.',
    ),
  },
  claims: { email: ['email'], given_name: ['given_name'], family_name: ['family_name'], subject: 'sub' },
  quirks: [
    words(
      'Some providers end their issuer with a slash. It is part of it: enter it as the discovery document has it.',
      'Certains fournisseurs terminent leur émetteur par une barre oblique. Elle en fait partie\u00a0: saisissez-le comme dans le document de découverte.',
    ),
    words(
      'ID tokens that are signed by the client secret (HS256) are refused: everybody who has the secret could make one.',
      'Les jetons ID signés par le secret du client (HS256) sont refusés\u00a0: quiconque a ce secret pourrait en fabriquer.',
    ),
  ],
}
