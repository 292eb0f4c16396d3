import { copy, path, settings, snippet, text, warn, words, yours } from './blocks.js'
import type { OidcTutorial } from './tutorial.js'

const optionalClaims = `"optionalClaims": {
  "idToken": [
    { "name": "email" },
    { "name": "given_name" },
    { "name": "family_name" },
    { "name": "xms_edov" },
    { "name": "auth_time" }
  ]
}`

export const entraIdOidc: OidcTutorial = {
  id: 'entra_id',
  name: 'Microsoft Entra ID',
  mark: 'ME',
  minutes: 15,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'create',
      title: words('Register the application', 'Inscrire l’application'),
      blocks: [
        text(
          'Sign in to the Microsoft Entra admin center as a Cloud Application Administrator or higher, and go to:',
          'Connectez-vous au centre d’administration Microsoft Entra en tant qu’administrateur d’application cloud ou plus, puis allez à\u00a0:',
        ),
        path('Entra ID', 'App registrations', 'New registration'),
        text(
          'Give it a name that your users know, and under **Supported account types** choose **Single tenant only** (also called **Accounts in this organizational directory only**). Under **Redirect URI** choose the platform **Web**, and enter:',
          'Donnez-lui un nom que vos utilisateurs connaissent, et sous **Supported account types**, choisissez **Single tenant only** (appelé aussi **Accounts in this organizational directory only**). Sous **Redirect URI**, choisissez la plateforme **Web** et saisissez\u00a0:',
        ),
        copy('Redirect URI', 'redirect_uri'),
        text('Press **Register**.', 'Cliquez sur **Register**.'),
        warn(
          'An application for accounts of any directory does not work here: whoever makes a directory of their own could say anything of anybody.',
          'Une application ouverte aux comptes de tout annuaire ne fonctionne pas ici\u00a0: quiconque crée son propre annuaire pourrait dire n’importe quoi de n’importe qui.',
        ),
      ],
    },
    {
      id: 'claims',
      title: words('Have the address sent', 'Faire envoyer l’adresse'),
      blocks: [
        path('Entra ID', 'App registrations', yours.app, 'Manage', 'Manifest'),
        text(
          'Put this in the place of **optionalClaims**, or add it where there is none, and press **Save**:',
          'Mettez ceci à la place de **optionalClaims**, ou ajoutez-le s’il n’y en a pas, puis **Save**\u00a0:',
        ),
        snippet('optionalClaims', optionalClaims),
        text(
          '**auth_time** says when somebody has signed in. Without it, applications that ask for a fresh sign-in let nobody in.',
          '**auth_time** indique quand quelqu’un s’est connecté. Sans lui, les applications qui exigent une nouvelle connexion ne laissent entrer personne.',
        ),
        warn(
          '**xms_edov** says that the domain of the address is one that your organization has verified. Without it nobody is linked to an account that is there already, because anybody may write any address into a directory of their own. Microsoft sends it along with **email** only.',
          '**xms_edov** indique que le domaine de l’adresse est vérifié par votre organisation. Sans cela, personne n’est rattaché à un compte existant, car chacun peut écrire n’importe quelle adresse dans son propre annuaire. Microsoft ne l’envoie qu’avec **email**.',
        ),
      ],
    },
    {
      id: 'consent',
      title: words('Agree for your organization', 'Donner le consentement de l’organisation'),
      blocks: [
        path(yours.app, 'API permissions', 'Add a permission', 'Microsoft Graph', 'Delegated permissions'),
        text(
          'Add these three, which say who signs in and nothing else:',
          'Ajoutez ces trois autorisations, qui disent qui se connecte et rien d’autre\u00a0:',
        ),
        copy('OpenId permissions', 'scopes'),
        text(
          'Then press **Grant admin consent**, so that nobody is asked at sign-in.',
          'Puis cliquez sur **Grant admin consent**, afin que personne ne soit interrogé à la connexion.',
        ),
      ],
    },
    {
      id: 'assign',
      title: words('Let your users in', 'Ouvrir l’accès à vos utilisateurs'),
      blocks: [
        path('Entra ID', 'Enterprise apps', yours.app, 'Properties'),
        settings(['Assignment required?', 'Yes']),
        text(
          'Then add the users or groups who may sign in under **Users and groups**, yourself among them: you will test it in a moment.',
          'Ajoutez ensuite sous **Users and groups** les utilisateurs ou groupes qui peuvent se connecter, vous compris\u00a0: vous allez bientôt faire un test.',
        ),
        warn(
          'Who is not assigned sees the error AADSTS50105 at Microsoft, and never gets to us.',
          'Qui n’est pas affecté voit l’erreur AADSTS50105 chez Microsoft et n’arrive jamais chez nous.',
        ),
      ],
    },
    {
      id: 'secret',
      title: words('Make a client secret', 'Créer un secret client'),
      blocks: [
        path(yours.app, 'Certificates & secrets', 'Client secrets', 'New client secret'),
        text(
          'Choose how long it lives, at most 24 months, and press **Add**. Copy **Value** immediately: it will not be shown again. **Secret ID** is something else.',
          'Choisissez sa durée, au plus 24 mois, puis **Add**. Copiez **Value** tout de suite\u00a0: elle ne sera plus affichée. **Secret ID** est autre chose.',
        ),
        text(
          'From **Overview** take **Application (client) ID** and **Directory (tenant) ID**. On the next page you enter all three.',
          'Dans **Overview**, relevez **Application (client) ID** et **Directory (tenant) ID**. À la page suivante, vous saisissez les trois.',
        ),
        warn(
          'Note in your calendar when the secret ends: from then on nobody can sign in until you enter a new one here.',
          'Notez dans votre agenda la fin du secret\u00a0: dès lors, plus personne ne peut se connecter, jusqu’à ce que vous en saisissiez un nouveau ici.',
        ),
      ],
    },
  ],
  client: {
    issuerExample: 'https://login.microsoftonline.com/<Directory (tenant) ID>/v2.0',
    issuer: words(
      'With the **Directory (tenant) ID** of the page **Overview** in its place.',
      'Avec le **Directory (tenant) ID** de la page **Overview** à sa place.',
    ),
    clientId: words(
      '**Application (client) ID** of the page **Overview**.',
      '**Application (client) ID** de la page **Overview**.',
    ),
    clientSecret: words('**Value** of the client secret.', '**Value** du secret client.'),
  },
  claims: { email: ['email'], given_name: ['given_name'], family_name: ['family_name'], subject: 'sub' },
  quirks: [
    words(
      'Directory sync cannot be set up at an app registration. Create a second, non-gallery enterprise application for it.',
      'La synchronisation d’annuaire ne se configure pas sur une inscription d’application. Créez pour elle une seconde application d’entreprise, hors galerie.',
    ),
    words(
      'Keep this app registration, and renew its secret in time: **sub** of Entra is another one for each application, so that with a new registration nobody is recognized, and everybody is refused.',
      'Gardez cette inscription d’application et renouvelez son secret à temps\u00a0: le **sub** d’Entra diffère pour chaque application\u00a0; avec une nouvelle inscription, personne n’est reconnu et tout le monde est refusé.',
    ),
  ],
}
