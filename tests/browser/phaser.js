/* What the pages of Phaser have in common; `?phaser` or `?phaser4` says which it is. */

/* A game with one scene that has loaded what `preload` asks for. It stands still: each step is asked for. */
const newGame = (width, height, preload) => new Promise(resolve => {
    const game = new Phaser.Game({
        type: Phaser.WEBGL, width, height, backgroundColor: `rgb(${BACKGROUND})`,
        banner: false, audio: {noAudio: true},
        /* Not pixelArt, which rounds positions: what stands at an origin that is not whole would be moved. */
        render: {antialias: false, antialiasGL: false, roundPixels: false, preserveDrawingBuffer: true},
        scene: {
            preload() { preload(this.load); },
            create() {
                this.events.once('postupdate', () => {
                    game.loop.stop();
                    resolve({game, scene: this});
                });
            },
        },
    });
});

let now = 1000;
function step(game, ms) {
    now += ms;
    game.step(now, ms);
}

function loadPhaser() {
    return new Promise((resolve, reject) => {
        const url = `/modules/${location.search.slice(1)}/dist/phaser.min.js`;
        const script = document.createElement('script');
        script.onload = resolve;
        script.onerror = () => reject(new Error(`cannot load ${url}`));
        script.src = url;
        document.head.append(script);
    });
}
