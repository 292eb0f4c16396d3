import { attributes, copy, path, settings, text, warn, words, yours } from './blocks.js'
import { samlNames } from './claim-names.js'
import type { Tutorial } from './tutorial.js'

export const googleWorkspace: Tutorial = {
  id: 'google_workspace',
  name: 'Google Workspace',
  mark: 'G',
  minutes: 10,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'create',
      title: words('Create the custom SAML app', 'Créer l’application SAML personnalisée'),
      blocks: [
        text(
          'Sign in to the Google Admin console as a super administrator, and go to:',
          'Connectez-vous à la console d’administration Google en tant que super-administrateur, puis allez à\u00a0:',
        ),
        path('Apps', 'Web and mobile apps', 'Add app', 'Add custom SAML app'),
        text(
          'Give the app a name that your users know, and click **Continue**.',
          'Donnez à l’application un nom que vos utilisateurs connaissent, puis **Continue**.',
        ),
      ],
    },
    {
      id: 'metadata',
      title: words('Download the metadata now', 'Télécharger les métadonnées maintenant'),
      blocks: [
        text(
          'Google first shows its own details. Under **Option 1**, click **Download metadata**, keep the file GoogleIDPMetadata.xml for later, and click **Continue**.',
          'Google affiche d’abord ses propres données. Sous **Option 1**, cliquez sur **Download metadata**, gardez le fichier GoogleIDPMetadata.xml pour plus tard, puis **Continue**.',
        ),
        warn(
          'You need this file at the end. If you have left the page, open the app again: **Download metadata** is on its page as well.',
          'Ce fichier servira à la fin. Si vous avez quitté la page, rouvrez l’application\u00a0: **Download metadata** s’y trouve aussi.',
        ),
      ],
    },
    {
      id: 'urls',
      title: words('Enter our details', 'Saisir nos données'),
      blocks: [
        text(
          'On the page **Service provider details**, copy these values into the fields of the same name:',
          'À la page **Service provider details**, copiez ces valeurs dans les champs du même nom\u00a0:',
        ),
        copy('ACS URL', 'acs_url'),
        copy('Entity ID', 'entity_id'),
        settings(
          ['Start URL', '—'],
          ['Signed response', '✓'],
          ['Name ID format', 'EMAIL'],
          ['Name ID', 'Basic Information > Primary email'],
        ),
        text('Click **Continue**.', 'Cliquez sur **Continue**.'),
      ],
    },
    {
      id: 'attributes',
      title: words('Send the name and e-mail address', 'Envoyer le nom et l’adresse e-mail'),
      blocks: [
        text(
          'Click **Add mapping** three times. On the left, choose the Google directory field; on the right, enter the name of the attribute.',
          'Cliquez trois fois sur **Add mapping**. Choisissez à gauche le champ de l’annuaire Google, et saisissez à droite le nom de l’attribut.',
        ),
        attributes(['email', 'Primary email'], ['first_name', 'First name'], ['last_name', 'Last name']),
        text('Click **Finish**.', 'Cliquez sur **Finish**.'),
      ],
    },
    {
      id: 'assign',
      title: words('Turn the app on', 'Activer l’application'),
      blocks: [
        text(
          'A new app is off for everyone. On its page, open **User access**, choose **ON for everyone**, or turn it on for single organizational units or groups, and click **Save**.',
          'Une nouvelle application est désactivée pour tous. Sur sa page, ouvrez **User access**, choisissez **ON for everyone**, ou activez-la pour certaines unités ou certains groupes, puis **Save**.',
        ),
        path('Web and mobile apps', yours.app, 'User access'),
        warn(
          'According to Google this can take up to 24 hours; it usually takes a few minutes. Until then, Google shows app_not_enabled_for_user or 403.',
          'Google annonce jusqu’à 24 heures\u00a0; le plus souvent, quelques minutes suffisent. D’ici là, Google affiche app_not_enabled_for_user ou 403.',
        ),
      ],
    },
  ],
  metadata: {
    how: words('The page of the app, Download metadata.', 'La page de l’application, Download metadata.'),
    fileHint: 'GoogleIDPMetadata.xml',
  },
  claims: { ...samlNames, subject: 'Primary email' },
  quirks: [
    words(
      'At Google the order is different: you download its metadata before you enter our addresses.',
      'Chez Google, l’ordre est différent\u00a0: vous téléchargez ses métadonnées avant de saisir nos adresses.',
    ),
    words(
      'Without **Signed response**, Google signs only the assertion. This works as well.',
      'Sans **Signed response**, Google ne signe que l’assertion. Cela fonctionne aussi.',
    ),
  ],
}
