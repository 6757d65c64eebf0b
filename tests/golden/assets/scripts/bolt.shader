// The visor mirrors its surroundings, which a picture stands for; over it lies the picture itself, lit, with a glow.
models/players/bolt/visor
{
	cull none
	{
		map models/pip/shell.png
		tcGen environment
	}
	{
		map models/players/bolt/visor.png
		blendFunc GL_DST_COLOR GL_SRC_COLOR
		rgbGen lightingDiffuse
	}
}
// A lit surface with a moved glow over it.
models/players/bolt/rust
{
	{
		map models/players/bolt/rust.png
		rgbGen lightingDiffuse
	}
	{
		clampMap models/players/bolt/visor.png
		blendFunc add
		rgbGen wave sin 0.2 0.1 0.25 1
		tcMod scale 2 2
	}
}
