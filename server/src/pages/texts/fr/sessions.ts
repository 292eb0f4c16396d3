import type { SessionTexts } from '../en/sessions.js'

export const sessions: SessionTexts = {
  sessions: {
    heading: 'Vos connexions',
    sentence: 'S’il y a un appareil que vous ne connaissez pas, déconnectez-le et changez de mot de passe.',
    current: 'Cet appareil',
    onSystem: (browser, system) => `${browser} sur ${system}`,
    unknownDevice: 'Appareil inconnu',
    lastUsed: (when) => `Dernière utilisation\u00a0: ${when}`,
    signedIn: (when) => `Connexion\u00a0: ${when}`,
    end: 'Déconnecter',
    endOthers: 'Déconnecter les autres',
    signOut: 'Se déconnecter ici',
    onlyOne: 'Aucune autre connexion n’est ouverte.',
  },
  signOut: {
    heading: 'Se déconnecter\u00a0?',
    sentence: (organization) => `Votre connexion à ${organization} prendra fin dans ce navigateur.`,
    button: 'Se déconnecter',
    doneHeading: 'Déconnexion réussie',
    done: 'Vous pouvez fermer cette page.',
  },
}
